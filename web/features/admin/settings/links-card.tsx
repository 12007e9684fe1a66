import { useEffect, useState } from 'react'
import { type ProductLinks, settings } from '#contract/admin/settings.ts'
import { useCall } from '#web/api/use-call.ts'
import { Card } from '#web/ui/card.tsx'
import { Field, Form, SubmitButton } from '#web/ui/form.tsx'
import { Input } from '#web/ui/input.tsx'

const schema = settings.adminSaveLinks.input
const fields = [
  ['indicatorUrl', 'Indicator'],
  ['strategyUrl', 'Strategy'],
] as const

type Props = { links: ProductLinks; onChanged: (title: string, isChanged: boolean) => void }

export function LinksCard({ links, onChanged }: Props) {
  const title = `Package links: ${links.name}`
  const save = useCall(settings.adminSaveLinks, {
    succeeded: { title: 'Saved', description: 'Buyers find them on their dashboard.' },
    failed: 'Failed to save',
  })
  const [typedLinks, setTypedLinks] = useState<Partial<ProductLinks>>({})
  const isChanged = fields.some(([name]) => (typedLinks[name] ?? links[name]) !== links[name])
  useEffect(() => onChanged(title, isChanged), [title, isChanged, onChanged])
  return (
    <Card className="flex flex-col gap-5">
      <header>
        <h2 className="text-lg">{title}</h2>
        <p className="text-sm text-muted">What its buyers open on TradingView. An empty one is taken from its file.</p>
      </header>
      <Form
        key={`${links.indicatorUrl} ${links.strategyUrl}`}
        schema={schema}
        aria-label={title}
        className="grid grid-cols-1 gap-4 sm:grid-cols-2"
        onSubmit={async (values) => {
          await save.mutateAsync(values)
          setTypedLinks({})
        }}
      >
        <input type="hidden" name="slug" value={links.slug} />
        {fields.map(([name, label]) => (
          <Field key={name} name={name} label={label}>
            <Input
              type="url"
              maxLength={300}
              autoComplete="off"
              defaultValue={links[name]}
              onChange={({ target }) => setTypedLinks({ ...typedLinks, [name]: target.value })}
            />
          </Field>
        ))}
        {isChanged && (
          <SubmitButton pendingText="Saving..." className="justify-self-start sm:col-span-2">
            Save
          </SubmitButton>
        )}
      </Form>
    </Card>
  )
}
