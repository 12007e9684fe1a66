import { type ReactNode, useState } from 'react'
import { editableSettings, type Setting, settingFields, settings } from '#contract/desk/settings.ts'
import { useCall } from '#web/api/use-call.ts'
import { Card } from '#web/ui/card.tsx'
import { Field, Form, SubmitButton } from '#web/ui/form.tsx'
import { Input } from '#web/ui/input.tsx'

type Group = { title: string; hint: string; hasPhoto?: true; of: RegExp }

export const groups: Group[] = [
  { title: 'Seller', hint: 'For the imprint, emails, invoices, and legal texts.', of: /^SELLER_/ },
  { title: 'Support', hint: 'Buyers write to this address, and access requests go to it.', of: /^SUPPORT_/ },
  { title: 'Package links', hint: 'What buyers open on TradingView.', of: /_URL$/ },
  {
    title: 'Maker',
    hint: 'The person behind the product. Shown on the site when named.',
    hasPhoto: true,
    of: /^MAKER_/,
  },
]

const schema = settings.adminSave.input

export function EditableCard(props: { group: Group; settings: Setting[]; children?: ReactNode }) {
  const { group, settings: all, children } = props
  const save = useCall(settings.adminSave, {
    succeeded: { title: 'Saved', description: 'The site shows it within seconds.' },
    failed: 'Failed to save',
  })
  const fields = editableSettings
    .filter((name) => group.of.test(name))
    .map((name) => {
      const { value = '', source = 'default' } = all.find((setting) => setting.name === name) ?? {}
      const field: { label: string; type?: string } = settingFields[name]
      return { name, ...field, value: value ?? '', isFixed: source === 'environment' }
    })
  const [typed, setTyped] = useState<Record<string, string>>({})
  const isChanged = fields.some(({ name, value }) => (typed[name] ?? value) !== value)
  return (
    <Card className="flex flex-col gap-5">
      <header>
        <h2 className="text-lg">{group.title}</h2>
        <p className="text-sm text-muted">{group.hint}</p>
      </header>
      {children}
      <Form
        // What was saved elsewhere, or by the server, is what the fields begin with.
        key={fields.map(({ value }) => value).join('\n')}
        schema={schema}
        aria-label={group.title}
        className="flex flex-col gap-4"
        onSubmit={async (values) => {
          await save.mutateAsync(values)
          setTyped({})
        }}
      >
        {fields.map(({ name, label, type = 'text', value, isFixed }) => (
          <Field key={name} name={name} label={label} hint={isFixed ? `Set on the server by ${name}` : undefined}>
            {/* What is disabled is not sent. */}
            <Input
              type={type}
              maxLength={300}
              autoComplete="off"
              defaultValue={value}
              disabled={isFixed}
              onChange={({ target }) => setTyped({ ...typed, [name]: target.value })}
            />
          </Field>
        ))}
        {isChanged && (
          <SubmitButton pendingText="Saving..." className="self-start">
            Save
          </SubmitButton>
        )}
      </Form>
    </Card>
  )
}
