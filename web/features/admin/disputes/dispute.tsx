import { useState } from 'react'
import { exactDollars } from '#contract/money.ts'
import {
  type AdminDispute,
  disputeReasons,
  disputes,
  type EvidenceFile,
  type EvidenceText,
  evidenceFiles,
  evidenceTexts,
  isAnswerable,
  isDecided,
} from '#contract/selling/disputes.ts'
import { useData } from '#web/api/client.ts'
import { useCall } from '#web/api/use-call.ts'
import { Button } from '#web/ui/button.tsx'
import { Card, Pending } from '#web/ui/card.tsx'
import { Checkbox } from '#web/ui/checkbox.tsx'
import { runIfConfirmed } from '#web/ui/confirm.tsx'
import { Field } from '#web/ui/form.tsx'
import { Input, Textarea } from '#web/ui/input.tsx'
import { Badge, Notice } from '#web/ui/notice.tsx'
import { Time } from '#web/ui/time.tsx'
import { useUnsavedChanges } from '#web/ui/use-unsaved-changes.ts'
import { CustomerLink } from '../customers/customer-link.tsx'
import { formatCount } from '../parts/count.ts'
import { isMissing, RecordNotFound } from '../parts/record.tsx'
import { Section } from '../parts/section.tsx'
import { useRecordTitle } from '../shell/place.ts'

export default function DisputeScreen({ id }: { id: string }) {
  const query = useData(disputes.adminShow, { id }, { gcTime: 0 })
  const { data } = query
  useRecordTitle(data && `Dispute over ${exactDollars(data.amount)}`)
  if (isMissing(query.error))
    return (
      <RecordNotFound
        title="No such dispute"
        description="Perhaps its payment was deleted with test data."
        list="/admin/purchases?need=disputes"
        all="Disputes to answer"
      />
    )
  if (!data) return <Pending query={query} />
  return (
    <div className="flex max-w-4xl flex-col gap-8">
      <Summary dispute={data} />
      {data.fault && (
        <Notice tone="bad" role="alert">
          {data.fault}
        </Notice>
      )}
      <Facts facts={data.facts} />
      {isAnswerable(data.status) ? (
        <AnswerForm dispute={data} />
      ) : (
        data.texts.length > 0 && <SentAnswer dispute={data} />
      )}
    </div>
  )
}

const statusTexts: Record<string, { text: string; tone: 'good' | 'bad' | 'warning' | 'neutral' }> = {
  needs_response: { text: 'to be answered', tone: 'warning' },
  warning_needs_response: { text: 'inquiry to be answered', tone: 'warning' },
  under_review: { text: 'the bank decides', tone: 'neutral' },
  warning_under_review: { text: 'the bank decides', tone: 'neutral' },
  won: { text: 'won', tone: 'good' },
  warning_closed: { text: 'closed', tone: 'good' },
  lost: { text: 'lost', tone: 'bad' },
  prevented: { text: 'refunded by the bank', tone: 'bad' },
}

function Summary({ dispute }: { dispute: AdminDispute }) {
  const { reason, status, amount, openedAt, dueAt, submittedAt, customer } = dispute
  const state = statusTexts[status] ?? { text: status.replaceAll('_', ' '), tone: 'neutral' }
  return (
    <Card className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <p className="text-2xl font-medium tabular-nums">{exactDollars(amount)}</p>
        <Badge tone={state.tone}>{state.text}</Badge>
        {customer && (
          <span className="ml-auto">
            <CustomerLink id={customer.id} title={customer.email}>
              {customer.name || customer.email}
            </CustomerLink>
          </span>
        )}
      </div>
      <p className="max-w-prose">{disputeReasons[reason] ?? `The bank’s reason: ${reason.replaceAll('_', ' ')}.`}</p>
      <p className="text-sm text-muted">
        <Time before="Opened on" value={openedAt} after="." />{' '}
        {dueAt && <Time before="The bank wants your answer by" value={dueAt} withClock after="." />}
        {submittedAt && <Time before="You answered on" value={submittedAt} withClock after="." />}
        {isDecided(status) && !submittedAt && 'The bank has decided.'}
      </p>
    </Card>
  )
}

function Facts({ facts }: Pick<AdminDispute, 'facts'>) {
  return (
    <Section title="What the shop has kept">
      <dl className="grid grid-cols-1 gap-x-6 gap-y-2 text-sm sm:grid-cols-[12rem_minmax(0,1fr)]">
        {facts.map(({ label, value }) => (
          <div key={label} className="contents">
            <dt className="text-muted max-sm:pt-2">{label}</dt>
            <dd className="wrap-anywhere">{value}</dd>
          </div>
        ))}
      </dl>
    </Section>
  )
}

/** Short texts, such as a name or an IP address, fit into one line. */
const isShort = (name: EvidenceText) => evidenceTexts[name].maxLength < 500

function AnswerForm({ dispute }: { dispute: AdminDispute }) {
  const { id, amount, savedAt } = dispute
  const [texts, setTexts] = useState<Partial<Record<EvidenceText, string>>>(() =>
    Object.fromEntries(dispute.texts.map(({ name, value }) => [name, value])),
  )
  const [files, setFiles] = useState<EvidenceFile[]>(() =>
    dispute.files.filter(({ isIncluded }) => isIncluded).map(({ name }) => name),
  )
  const { setUnsaved } = useUnsavedChanges()
  const markSaved = () => setUnsaved(false)
  const save = useCall(disputes.adminSave, {
    succeeded: { title: 'Answer saved', description: 'Nothing has been sent.' },
    failed: 'Failed to save the answer',
    onSuccess: markSaved,
  })
  const submit = useCall(disputes.adminSubmit, {
    succeeded: { title: 'Answer sent', description: 'The bank decides, which can take two to three months.' },
    failed: 'Failed to send the answer',
    onSuccess: markSaved,
  })
  const isBusy = save.isPending || submit.isPending

  return (
    <>
      <Section
        title="Your answer"
        hint="Written from what the shop has kept, in the fields that Stripe recommends for this reason. Read it, change it, add your own words."
        onInput={() => setUnsaved(true)}
      >
        {dispute.texts.map(({ name }) => {
          const { label, maxLength } = evidenceTexts[name]
          const value = texts[name] ?? ''
          const inputProps = { value, maxLength, disabled: isBusy }
          const onChange = (newText: string) => setTexts((current) => ({ ...current, [name]: newText }))
          return (
            <Field key={name} name={name} label={label}>
              {isShort(name) ? (
                <Input {...inputProps} onChange={({ target }) => onChange(target.value)} />
              ) : (
                <Textarea
                  {...inputProps}
                  rows={Math.min(14, Math.max(3, value.split('\n').length + 1))}
                  onChange={({ target }) => onChange(target.value)}
                />
              )}
            </Field>
          )
        })}
      </Section>
      <Section title="Files" hint="The shop writes each as a PDF when you send the answer, with exactly this content.">
        <ul className="flex flex-col gap-3">
          {dispute.files.map(({ name, content }) => (
            <FileRow
              key={name}
              name={name}
              content={content}
              isIncluded={files.includes(name)}
              onTick={(shouldInclude) => {
                setUnsaved(true)
                setFiles((current) => (shouldInclude ? [...current, name] : current.filter((file) => file !== name)))
              }}
            />
          ))}
        </ul>
      </Section>
      <div className="flex flex-wrap items-center gap-3 border-t border-line pt-6">
        <Button
          pending={submit.isPending}
          pendingText="Sending..."
          disabled={isBusy}
          onClick={() =>
            runIfConfirmed(
              {
                title: `Send the answer about ${exactDollars(amount)}?`,
                description: `Stripe passes it on to the bank with ${formatCount(files.length, 'file')}. This is final: you can’t change or add anything afterward.`,
                action: 'Send to the bank',
              },
              () => submit.mutate({ id, texts, files }),
            )
          }
        >
          Send to the bank
        </Button>
        <Button
          variant="secondary"
          pending={save.isPending}
          pendingText="Saving..."
          disabled={isBusy}
          onClick={() => save.mutate({ id, texts, files })}
        >
          Save draft
        </Button>
        {savedAt && (
          <span className="text-sm text-muted">
            <Time before="Saved on" value={savedAt} withClock />
          </span>
        )}
      </div>
    </>
  )
}

type FileRowProps = { name: EvidenceFile; content: string; isIncluded: boolean; onTick: (isIncluded: boolean) => void }

function FileRow({ name, content, isIncluded, onTick }: FileRowProps) {
  const title = evidenceFiles[name]
  return (
    <li className="rounded-lg border border-line bg-surface px-4 py-3">
      <Checkbox label={title} checked={isIncluded} onTick={onTick} />
      <FileContent title={title} content={content} />
    </li>
  )
}

function FileContent({ title, content }: { title: string; content: string }) {
  return (
    <details className="pt-1">
      <summary className="w-fit cursor-pointer text-sm text-muted hover:text-ink">
        Read<span className="sr-only"> {title}</span>
      </summary>
      <pre className="mt-3 max-h-96 overflow-auto rounded-md bg-ground p-4 text-xs break-words whitespace-pre-wrap">
        {content}
      </pre>
    </details>
  )
}

function SentAnswer({ dispute }: { dispute: AdminDispute }) {
  return (
    <Section title="Your answer" hint="It is with the bank and can’t be changed.">
      <dl className="flex flex-col gap-4 text-sm">
        {dispute.texts
          .filter(({ value }) => value)
          .map(({ name, value }) => (
            <div key={name}>
              <dt className="text-muted">{evidenceTexts[name].label}</dt>
              <dd className="max-h-60 overflow-y-auto wrap-anywhere whitespace-pre-wrap">{value}</dd>
            </div>
          ))}
        <div>
          <dt className="text-muted">Files</dt>
          <dd>
            {dispute.files
              .filter(({ isIncluded }) => isIncluded)
              .map(({ name }) => evidenceFiles[name])
              .join(', ') || 'None'}
          </dd>
        </div>
      </dl>
    </Section>
  )
}
