import * as z from 'zod/mini'
import { type NewsletterShown, newsletters } from '#contract/desk/newsletters.ts'
import { line, optionalLine, text } from '#contract/fields.ts'
import { CallButton } from '#web/api/call-button.tsx'
import { useCall } from '#web/api/use-call.ts'
import { Card } from '#web/ui/card.tsx'
import { Checkbox } from '#web/ui/checkbox.tsx'
import { Field, Form, SubmitButton } from '#web/ui/form.tsx'
import { Input, Select, Textarea } from '#web/ui/input.tsx'
import { useNavigation } from '#web/ui/navigation.tsx'
import type { Unsaved } from '#web/ui/use-unsaved.ts'
import { useProducts } from '../parts/products.tsx'

type Written = Pick<NewsletterShown, 'subject' | 'preheader' | 'markdown' | 'toSubscribers' | 'buyersOf'>

const schema = z.object({
  subject: line(150, 'Please write a subject'),
  preheader: z._default(optionalLine(150), ''),
  markdown: text(50_000, 'Please write something'),
  toSubscribers: z._default(z.string(), ''),
  buyersOf: z._default(z.string(), ''),
})

export function Draft(props: { start: Written; saved?: NewsletterShown; unsaved: Unsaved }) {
  const { start, saved } = props
  const { setUnsaved } = props.unsaved
  const { navigate } = useNavigation()
  const products = useProducts()
  const create = useCall(newsletters.adminCreate, {
    succeeded: 'Draft saved',
    failed: 'Failed to save the draft',
    onSuccess: ({ id }) => navigate(`/admin/messages/newsletters/${id}`, { replace: true }),
  })
  const save = useCall(newsletters.adminSave, { succeeded: 'Draft saved', failed: 'Failed to save the draft' })

  return (
    <Card onInput={() => setUnsaved(true)}>
      <Form
        schema={schema}
        aria-label="Newsletter"
        className="flex flex-col gap-5"
        onSubmit={async ({ toSubscribers, buyersOf, ...texts }) => {
          const written = { ...texts, toSubscribers: toSubscribers !== '', buyersOf: buyersOf || null }
          // Before the call: what is typed while it is under way is not in it.
          setUnsaved(false)
          try {
            if (saved) await save.mutateAsync({ id: saved.id, version: saved.version, ...written })
            else await create.mutateAsync(written)
          } catch (error) {
            setUnsaved(true)
            throw error
          }
        }}
      >
        <Field name="subject" label="Subject">
          <Input required maxLength={150} defaultValue={start.subject} />
        </Field>
        <Field name="preheader" label="Preheader" hint="The line that inboxes show beside the subject.">
          <Input maxLength={150} defaultValue={start.preheader} />
        </Field>
        <Field
          name="markdown"
          label="Text"
          hint="Markdown: ## heading, **bold**, - list, [link](https://…), ![picture](https://…) on a line of its own. Postal address and unsubscribe link are added."
        >
          <Textarea required rows={14} maxLength={50_000} defaultValue={start.markdown} />
        </Field>
        <fieldset className="flex flex-col gap-3">
          <legend className="mb-2 text-sm font-medium">To</legend>
          <Checkbox label="Newsletter subscribers" name="toSubscribers" defaultChecked={start.toSubscribers} />
          {products.length === 1 &&
            products.map(({ id, name }) => (
              <Checkbox
                key={id}
                label={`Buyers of ${name}`}
                name="buyersOf"
                value={id}
                defaultChecked={start.buyersOf === id}
              />
            ))}
          {products.length > 1 && (
            <Select
              name="buyersOf"
              aria-label="Buyers"
              defaultValue={start.buyersOf ?? ''}
              options={[['', 'No buyers'], ...products.map(({ id, name }) => [id, `Buyers of ${name}`] as const)]}
            />
          )}
          <p className="text-sm text-muted">
            Buyers who were told at the checkout, confirmed their address, and did not object. Each address gets it
            once.
          </p>
        </fieldset>
        <div className="flex justify-end gap-3 max-sm:flex-col-reverse">
          {saved && (
            <CallButton
              call={newsletters.adminDelete}
              input={{ id: saved.id }}
              options={{
                refreshes: [newsletters.adminList],
                succeeded: 'Draft deleted',
                failed: 'Failed to delete the draft',
                onSuccess() {
                  setUnsaved(false)
                  navigate('/admin/messages/newsletters')
                },
              }}
              asks={{
                title: 'Delete draft',
                description: `Delete “${saved.subject}”? This action cannot be undone.`,
                action: 'Delete draft',
                destructive: true,
              }}
              variant="dangerGhost"
            >
              Delete draft
            </CallButton>
          )}
          <SubmitButton pendingText="Saving...">Save draft</SubmitButton>
        </div>
      </Form>
    </Card>
  )
}
