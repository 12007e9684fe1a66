import { type ReactNode, useEffect, useState } from 'react'
import { editableSettings, type Setting, settingChoices, settingFields, settings } from '#contract/admin/settings.ts'
import { useCall } from '#web/api/use-call.ts'
import { Card } from '#web/ui/card.tsx'
import { runIfConfirmed } from '#web/ui/confirm.tsx'
import { Field, Form, SubmitButton } from '#web/ui/form.tsx'
import { Input, Select } from '#web/ui/input.tsx'
import { useNavigation } from '#web/ui/navigation.tsx'

type SettingsGroup = { title: string; hint: string; hasPhoto?: true; mustBeConfirmed?: true; settings: RegExp }

export const groups: SettingsGroup[] = [
  { title: 'Seller', hint: 'For the imprint, emails, invoices, and legal texts.', settings: /^SELLER_/ },
  { title: 'Emails to you', hint: 'They go to the support address.', settings: /^(SALE_EMAILS|MONDAY_LETTER)$/ },
  {
    title: 'Emails to buyers',
    hint: 'Before a card expires or a price changes.',
    settings: /^(CARD_NOTICES|DISCOUNT_NOTICES)$/,
  },
  { title: 'Support', hint: 'Buyers write to this address, and access requests go to it.', settings: /^SUPPORT_/ },
  {
    title: 'Maker',
    hint: 'The person behind the product. Shown on the site when named.',
    hasPhoto: true,
    settings: /^MAKER_/,
  },
  {
    title: 'Figures',
    hint: 'How fast access and first answers come, once there are ten of each in 30 days. Always computed.',
    settings: /^SHOW_FIGURES$/,
  },
  {
    title: 'Exchange keys',
    hint: 'Buyers give the API key and the secret key of their exchange with their request. Secret keys are what thieves ask for: say no unless you need them.',
    settings: /^ASK_EXCHANGE_KEYS$/,
    mustBeConfirmed: true,
  },
  {
    title: 'Law and venue',
    hint: 'What your terms say about them. A change makes a new version of the terms; orders keep the version they were made under.',
    settings: /^TERMS_/,
    mustBeConfirmed: true,
  },
]

const schema = settings.adminSave.input

/** Offers to write to all customers, because the terms promise an email 30 days before they change. */
const offerServiceMessage = (navigate: ReturnType<typeof useNavigation>['navigate']) =>
  runIfConfirmed(
    {
      title: 'Tell your customers',
      description:
        'New orders are made under the new terms from now on; everyone who has bought keeps theirs. The terms promise an email at least 30 days before they change for customers.',
      action: 'Write to all customers',
      cancel: 'Not now',
    },
    () => navigate('/admin/messages/service?about=terms'),
  )

export function EditableCard(props: {
  group: SettingsGroup
  settings: Setting[]
  onChanged: (title: string, isChanged: boolean) => void
  children?: ReactNode
}) {
  const { group, settings: allSettings, onChanged, children } = props
  const save = useCall(settings.adminSave, {
    succeeded: { title: 'Saved', description: 'The site shows it within seconds.' },
    failed: 'Failed to save',
  })
  const names = editableSettings.filter((name) => group.settings.test(name))
  const fields = names.map((name) => {
    const setting = allSettings.find((candidate) => candidate.name === name)
    const field: { label: string; type?: string } = settingFields[name]
    return { name, ...field, value: setting?.value ?? '', source: setting?.source }
  })
  // The checklist asks the seller to save these settings once, even if the default stays.
  const isUnconfirmed = fields.some(({ source }) => source === 'default')
  const { navigate } = useNavigation()
  const [typedValues, setTypedValues] = useState<Record<string, string>>({})
  const isChanged = fields.some(({ name, value }) => (typedValues[name] ?? value) !== value)
  const canBeSaved = isChanged || (group.mustBeConfirmed && isUnconfirmed)
  useEffect(() => onChanged(group.title, isChanged), [group.title, isChanged, onChanged])
  return (
    <Card className="flex flex-col gap-5">
      <header>
        <h2 className="text-lg">{group.title}</h2>
        <p className="text-sm text-muted">{group.hint}</p>
      </header>
      {children}
      <Form
        // Remounts the fields when another tab or the server changed the values.
        key={fields.map(({ value }) => value).join('\n')}
        schema={schema}
        aria-label={group.title}
        className="grid grid-cols-1 gap-4 sm:grid-cols-2"
        onSubmit={async (values) => {
          await save.mutateAsync(values)
          setTypedValues({})
          onChanged(group.title, false)
          if (isChanged && fields.some(({ name }) => name.startsWith('TERMS_'))) offerServiceMessage(navigate)
        }}
      >
        {fields.map(({ name, label, type = 'text', value, source }) => {
          const isFixed = source === 'environment'
          const onTyped = (typedValue: string) => setTypedValues({ ...typedValues, [name]: typedValue })
          return (
            <Field key={name} name={name} label={label} hint={isFixed ? `Set on the server by ${name}` : undefined}>
              {/* Forms don't submit disabled fields, so a fixed value is never saved. */}
              {settingChoices[name] ? (
                <Select
                  defaultValue={value}
                  disabled={isFixed}
                  options={settingChoices[name]}
                  onChange={({ target }) => onTyped(target.value)}
                />
              ) : (
                <Input
                  type={type}
                  maxLength={300}
                  autoComplete="off"
                  defaultValue={value}
                  disabled={isFixed}
                  onChange={({ target }) => onTyped(target.value)}
                />
              )}
            </Field>
          )
        })}
        {canBeSaved && (
          <SubmitButton pendingText="Saving..." className="justify-self-start sm:col-span-2">
            Save
          </SubmitButton>
        )}
      </Form>
    </Card>
  )
}
