import { useState } from 'react'
import * as z from 'zod/mini'
import { countDefinitions } from '#contract/admin/figure-definitions.ts'
import { dayMs } from '#contract/dates.ts'
import { line, text } from '#contract/fields.ts'
import {
  maxServiceMessages,
  type ServiceReason,
  serviceMessageDays,
  serviceMessages,
  serviceReasons,
} from '#contract/site/service-messages.ts'
import { useData } from '#web/api/client.ts'
import { useSettings } from '#web/api/settings.tsx'
import { useCall } from '#web/api/use-call.ts'
import { Button } from '#web/ui/button.tsx'
import { Card } from '#web/ui/card.tsx'
import { confirm } from '#web/ui/confirm.tsx'
import { Field, Form, SubmitButton } from '#web/ui/form.tsx'
import { Input, Select, Textarea } from '#web/ui/input.tsx'
import { useNavigation } from '#web/ui/navigation.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { Cell } from '#web/ui/table.tsx'
import { useUnsavedChanges } from '#web/ui/use-unsaved-changes.ts'
import { RecordList } from '../lists/record-list.tsx'
import { DayCell } from '../lists/record-table.tsx'
import { MissingRequirements } from '../newsletters/send-card.tsx'
import { formatCount, formatNumber } from '../parts/count.ts'
import { useProducts } from '../parts/products.tsx'

const schema = z.object({
  reason: z.enum(Object.keys(serviceReasons) as [ServiceReason, ...ServiceReason[]], 'Please choose a reason'),
  subject: line(150, 'Please write a subject'),
  markdown: text(20_000, 'Please write something'),
})
const reasonOptions = [['', 'Choose a reason'], ...Object.entries(serviceReasons)] as const

const formatCustomers = (count: number) => formatCount(count, 'customer', 'customers')

export default function ServiceMessages() {
  return (
    <div className="flex flex-col gap-8">
      <ServiceMessageCard />
      <RecordList
        label="Service messages"
        noun={['service message', 'service messages']}
        list={serviceMessages.adminList}
        none={{ title: 'No service messages yet', description: 'What you sent to all customers appears here.' }}
        columns={['Subject', 'Reason', 'Product', 'Sent by', 'Customers', 'Date']}
        renderRow={({ subject, markdown, reason, product, sentBy, recipients, sentAt }) => (
          <>
            <Cell className="max-w-96">
              <details>
                <summary className="cursor-pointer font-medium wrap-anywhere">{subject}</summary>
                <p className="pt-2 text-sm wrap-anywhere whitespace-pre-line text-muted">{markdown}</p>
              </details>
            </Cell>
            <Cell label="Reason">{serviceReasons[reason]}</Cell>
            <Cell label="Product">{product}</Cell>
            <Cell label="Sent by">{sentBy}</Cell>
            <Cell label="Customers" className="tabular-nums">
              {formatNumber(recipients)}
            </Cell>
            <DayCell label="Date" value={sentAt} />
          </>
        )}
      />
    </div>
  )
}

function ServiceMessageCard() {
  const products = useProducts()
  const [chosenProductId, setChosenProductId] = useState<string>()
  const productId = chosenProductId ?? products[0]?.id
  if (!productId) return null
  return (
    <Card className="flex flex-col gap-5">
      <h2 className="text-lg">Write to all customers</h2>
      <Notice tone="neutral">
        For what their contract needs: an outage, security, a new version, changed terms. It goes to everyone with a
        running purchase, also to people who don’t want news, so it must not advertise anything. For news, write a
        newsletter.
      </Notice>
      {products.length > 1 && (
        <Field name="product" label="Customers of">
          <Select
            value={productId}
            onChange={({ target }) => setChosenProductId(target.value)}
            options={products.map(({ id, name }) => [id, name] as const)}
          />
        </Field>
      )}
      <ServiceMessageForm key={productId} productId={productId} />
    </Card>
  )
}

const emptyDraft = { reason: '', subject: '', markdown: '' }

/** Draft of the notice that the terms promise 30 days in advance; 31 days leave time to send it. */
const changedTermsDraft = (publicUrl: string) => ({
  reason: 'changed_terms',
  subject: `Our terms change on ${dayFormat.format(Date.now() + 31 * dayMs)}`,
  markdown: `Our terms change on that day: the law that applies, and the place of jurisdiction.\n\nThe new terms are at ${publicUrl}/legal/terms. If you don’t agree, you can cancel before they take effect.`,
})
const dayFormat = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium' })

function ServiceMessageForm({ productId }: { productId: string }) {
  // Loaded at each visit, because the seller confirms this number of customers.
  const { data: audience } = useData(serviceMessages.adminAudience, { productId }, { gcTime: 0 })
  const { search } = useNavigation()
  const { publicUrl } = useSettings()
  const isAboutTerms = new URLSearchParams(search).get('about') === 'terms'
  const [initialDraft] = useState(() => (isAboutTerms ? changedTermsDraft(publicUrl) : emptyDraft))
  const [draft, setDraft] = useState(initialDraft)
  const { setUnsaved } = useUnsavedChanges()
  const sendTest = useCall(serviceMessages.adminTest, {
    refreshes: [],
    succeeded: 'Test sent to you',
    failed: 'Failed to send the test',
  })
  const send = useCall(serviceMessages.adminSend, {
    succeeded: 'Service message on its way',
    failed: 'Failed to send the service message',
  })
  const parsedDraft = schema.safeParse(draft)
  const isLimitReached = audience?.remaining === 0 && draft.reason !== 'security'
  return (
    <div
      onInput={({ target }) => {
        const { name, value } = target as HTMLInputElement
        setDraft((current) => ({ ...current, [name]: value }))
        setUnsaved(true)
      }}
    >
      <Form
        schema={schema}
        aria-label="Service message"
        className="flex flex-col gap-5"
        onSubmit={async (message, form) => {
          if (!audience) return
          const isConfirmed = await confirm({
            title: 'Send service message',
            description: `“${message.subject}” goes to ${formatCustomers(audience.customers)} now. It can’t be changed or stopped afterward.`,
            action: `Send to ${formatCustomers(audience.customers)}`,
          })
          if (!isConfirmed) return
          await send.mutateAsync({ ...message, productId, customers: audience.customers })
          form.reset()
          setUnsaved(false)
          // The reset form shows its first values again.
          setDraft(initialDraft)
        }}
      >
        <Field name="reason" label="Reason">
          <Select required defaultValue={initialDraft.reason} options={reasonOptions} />
        </Field>
        <Field name="subject" label="Subject">
          <Input required maxLength={150} defaultValue={initialDraft.subject} />
        </Field>
        <Field
          name="markdown"
          label="Text"
          hint="Markdown: ## heading, **bold**, - list, [link](https://…). No offers and no advertising."
        >
          <Textarea required rows={8} maxLength={20_000} defaultValue={initialDraft.markdown} />
        </Field>
        {audience && (
          <p>
            It goes to <strong className="font-semibold">{formatCustomers(audience.customers)}</strong>.
            {audience.refused > 0 &&
              ` ${formatCustomers(audience.refused)} can’t be reached: their mail server refuses them.`}{' '}
            {isLimitReached
              ? `${maxServiceMessages} have been sent in ${serviceMessageDays} days; only security can’t wait.`
              : `${audience.remaining} of ${maxServiceMessages} in ${serviceMessageDays} days are left.`}
          </p>
        )}
        <p className="text-sm text-muted">Customers: {countDefinitions.customers.meaning}</p>
        {audience && <MissingRequirements missing={audience.missing} />}
        <div className="flex justify-end gap-3 max-sm:flex-col-reverse">
          <Button
            variant="secondary"
            disabled={!parsedDraft.success}
            pending={sendTest.isPending}
            onClick={() => parsedDraft.success && sendTest.mutate({ ...parsedDraft.data, productId })}
          >
            Send a test to me
          </Button>
          <SubmitButton
            pendingText="Sending..."
            disabled={!audience || audience.customers === 0 || audience.missing.length > 0 || isLimitReached}
          >
            {audience ? `Send to ${formatCustomers(audience.customers)}` : 'Send'}
          </SubmitButton>
        </div>
      </Form>
    </div>
  )
}
