import { type RefObject, useEffect, useRef } from 'react'
import * as z from 'zod/mini'
import { countDefinitions } from '#contract/admin/figure-definitions.ts'
import { line, optionalLine, text } from '#contract/fields.ts'
import { type AdminNewsletter, newsletters } from '#contract/site/newsletters.ts'
import { CallButton } from '#web/api/call-button.tsx'
import { useData } from '#web/api/client.ts'
import { useCall } from '#web/api/use-call.ts'
import { Card } from '#web/ui/card.tsx'
import { Checkbox } from '#web/ui/checkbox.tsx'
import { Field, Form, SubmitButton } from '#web/ui/form.tsx'
import { Input, Select, Textarea } from '#web/ui/input.tsx'
import { useNavigation } from '#web/ui/navigation.tsx'
import type { UnsavedChanges } from '#web/ui/use-unsaved-changes.ts'
import { formatNumber } from '../parts/count.ts'
import { useProducts } from '../parts/products.tsx'
import { TextTools } from './text-tools.tsx'

type DraftContent = Pick<AdminNewsletter, 'subject' | 'preheader' | 'markdown' | 'toSubscribers' | 'buyersOf'>

const schema = z.object({
  subject: line(150, 'Please write a subject'),
  preheader: z._default(optionalLine(150), ''),
  markdown: text(50_000, 'Please write something'),
  toSubscribers: z._default(z.string(), ''),
  buyersOf: z._default(z.string(), ''),
})

const labelWithCount = (label: string, count: number | undefined) =>
  count === undefined ? label : `${label} (${formatNumber(count)})`

export const autosaveDelayMs = 1500

function useAutosave(card: RefObject<HTMLDivElement | null>, isStored: boolean) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const isAutomatic = useRef(false)
  const isSaving = useRef(false)
  useEffect(() => () => clearTimeout(timer.current), [])

  function saveSoon() {
    clearTimeout(timer.current)
    if (isStored) timer.current = setTimeout(save, autosaveDelayMs)
  }

  function save() {
    // A form that is being submitted ignores another submit.
    if (isSaving.current) return saveSoon()
    const form = card.current?.querySelector('form')
    if (!form?.checkValidity()) return undefined
    isAutomatic.current = true
    form.requestSubmit()
    isAutomatic.current = false
    return undefined
  }

  return {
    saveSoon,
    /** Cancels a pending autosave, which after a save by hand would only raise the version. */
    cancelAutosave: () => clearTimeout(timer.current),
    /** Runs the save; `submit` learns whether the autosave submitted the form. */
    async track(submit: (isAutosave: boolean) => Promise<unknown>) {
      isSaving.current = true
      try {
        await submit(isAutomatic.current)
      } finally {
        isSaving.current = false
      }
    },
  }
}

export function Draft(props: { initialContent: DraftContent; saved?: AdminNewsletter; unsaved: UnsavedChanges }) {
  const { initialContent, saved } = props
  const { setUnsaved } = props.unsaved
  const { navigate } = useNavigation()
  const create = useCall(newsletters.adminCreate, {
    succeeded: 'Draft saved',
    failed: 'Failed to save the draft',
    onSuccess: ({ id }) => navigate(`/admin/messages/newsletters/${id}`, { replace: true }),
  })
  const save = useCall(newsletters.adminSave, { succeeded: 'Draft saved', failed: 'Failed to save the draft' })
  const saveQuietly = useCall(newsletters.adminSave, {
    refreshes: [newsletters.adminShow, newsletters.adminList],
    failed: 'Failed to save the draft',
  })

  const markdownField = useRef<HTMLDivElement>(null)
  const card = useRef<HTMLDivElement>(null)
  const { saveSoon, cancelAutosave, track } = useAutosave(card, saved !== undefined)

  return (
    <Card
      ref={card}
      onInput={() => {
        setUnsaved(true)
        saveSoon()
      }}
    >
      <Form
        schema={schema}
        aria-label="Newsletter"
        className="flex flex-col gap-5"
        onSubmit={async ({ toSubscribers, buyersOf, ...texts }) => {
          const content = { ...texts, toSubscribers: toSubscribers !== '', buyersOf: buyersOf || null }
          // Before the call, so that text typed during the call counts as unsaved.
          setUnsaved(false)
          cancelAutosave()
          try {
            await track((isAutosave) => {
              if (!saved) return create.mutateAsync(content)
              const update = isAutosave ? saveQuietly : save
              return update.mutateAsync({ id: saved.id, version: saved.version, ...content })
            })
          } catch (error) {
            setUnsaved(true)
            throw error
          }
        }}
      >
        <Field name="subject" label="Subject">
          <Input required maxLength={150} defaultValue={initialContent.subject} />
        </Field>
        <Field name="preheader" label="Preview line" hint="What inboxes show beside the subject.">
          <Input maxLength={150} defaultValue={initialContent.preheader} />
        </Field>
        <div ref={markdownField} className="flex flex-col gap-2">
          <TextTools field={markdownField} />
          <Field
            name="markdown"
            label="Text"
            hint="Markdown: ## heading, **bold**, - list, [link](https://…), ![picture](https://…) on a line of its own. Postal address and unsubscribe link are added."
          >
            <Textarea required rows={14} maxLength={50_000} defaultValue={initialContent.markdown} />
          </Field>
        </div>
        <Audiences initialContent={initialContent} />
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
              question={{
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

function Audiences({ initialContent }: { initialContent: DraftContent }) {
  const products = useProducts()
  const onlyProduct = products.length === 1 ? products[0] : undefined
  const { data: audiences } = useData(newsletters.adminAudiences, {}, { once: true })
  const countOf = (productId: string) => audiences?.buyers.find((audience) => audience.productId === productId)?.count
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="mb-2 text-sm font-medium">To</legend>
      <Checkbox
        label={labelWithCount(countDefinitions.newsletterSubscribers.title, audiences?.subscribers)}
        name="toSubscribers"
        defaultChecked={initialContent.toSubscribers}
      />
      {onlyProduct && (
        <Checkbox
          label={labelWithCount(`Buyers of ${onlyProduct.name}`, countOf(onlyProduct.id))}
          name="buyersOf"
          value={onlyProduct.id}
          defaultChecked={initialContent.buyersOf === onlyProduct.id}
        />
      )}
      {products.length > 1 && (
        <Select
          name="buyersOf"
          aria-label="Buyers"
          defaultValue={initialContent.buyersOf ?? ''}
          options={[
            ['', 'No buyers'],
            ...products.map(({ id, name }) => [id, labelWithCount(`Buyers of ${name}`, countOf(id))] as const),
          ]}
        />
      )}
      <p className="text-sm text-muted">
        Subscribers: {countDefinitions.newsletterSubscribers.meaning} Buyers:{' '}
        {countDefinitions.newsletterBuyers.meaning} Each address gets it once.
      </p>
    </fieldset>
  )
}
