import { CreditCard, KeyRound, LogIn, type LucideIcon, Mail, MessageSquare, Receipt, UserCog } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { customers, type TimelineEntry } from '#contract/admin/customers.ts'
import { exactDollars } from '#contract/money.ts'
import type { Invoice } from '#contract/selling/purchases.ts'
import { CallButton } from '#web/api/call-button.tsx'
import { useData } from '#web/api/client.ts'
import { Button } from '#web/ui/button.tsx'
import { Card, Pending } from '#web/ui/card.tsx'
import { classes } from '#web/ui/classes.ts'
import { Dialog, DialogButtons } from '#web/ui/dialog.tsx'
import { Link } from '#web/ui/navigation.tsx'
import { Time } from '#web/ui/time.tsx'
import { Pills } from '../lists/record-list.tsx'
import { usePages } from '../lists/record-table.tsx'

type Kind = TimelineEntry['kind'] | 'payment'
type Entry = Omit<TimelineEntry, 'kind'> & { kind: Kind }

const kindLooks: Record<Kind, { icon: LucideIcon; name: string }> = {
  purchase: { icon: Receipt, name: 'Purchase' },
  payment: { icon: CreditCard, name: 'Payment' },
  mail: { icon: Mail, name: 'Email' },
  message: { icon: MessageSquare, name: 'Message' },
  access: { icon: KeyRound, name: 'Access' },
  login: { icon: LogIn, name: 'Login' },
  staff: { icon: UserCog, name: 'Your team' },
}

const kindsByFilter = {
  Money: ['purchase', 'payment'],
  Access: ['access'],
  Emails: ['mail', 'message'],
} as const satisfies Record<string, Kind[]>
const options = [
  { value: undefined, text: 'All' },
  ...(Object.keys(kindsByFilter) as (keyof typeof kindsByFilter)[]).map((name) => ({ value: name, text: name })),
]

export function Timeline({ id }: { id: string }) {
  const query = usePages(customers.adminTimeline, { id })
  const [mailId, setMailId] = useState<string | null>(null)
  const allEntries = useEntries(id, query)
  const [filter, setFilter] = useState<keyof typeof kindsByFilter>()
  const kinds: readonly Kind[] | undefined = filter && kindsByFilter[filter]
  const entries = kinds ? allEntries.filter(({ kind }) => kinds.includes(kind)) : allEntries
  return (
    <Card className="flex flex-col gap-5 max-xl:order-last">
      <header className="flex flex-wrap items-center justify-between gap-3">
        <h2 className="text-lg">Timeline</h2>
        <Pills options={options} value={filter} onChange={setFilter} />
      </header>
      {!query.data && <Pending query={query} className="h-60" />}
      {query.isSuccess && entries.length === 0 && <p className="text-sm text-muted">Nothing has happened yet.</p>}
      <ol aria-label="Timeline" className="flex flex-col">
        {entries.map((entry) => (
          <TimelineItem key={entry.id} entry={entry}>
            <EntryTitle entry={entry} customerId={id} onRead={setMailId} />
          </TimelineItem>
        ))}
      </ol>
      {query.hasNextPage && (
        <Button
          variant="secondary"
          size="sm"
          className="self-start"
          pending={query.isFetching}
          onClick={() => void query.fetchNextPage()}
        >
          Show earlier
        </Button>
      )}
      {mailId && <MailDialog id={mailId} onClose={() => setMailId(null)} />}
    </Card>
  )
}

/** Loads payments separately, so that the other entries stay readable during an outage of Stripe. */
function useEntries(id: string, query: ReturnType<typeof usePages<typeof customers.adminTimeline>>): Entry[] {
  const payments = useData(customers.adminPayments, { id })
  const entries = query.data?.pages.flatMap(({ items }) => items) ?? []
  const allPaymentEntries = (payments.data?.documents ?? []).map(paymentEntryOf)
  // Payments older than the loaded entries appear with the next page.
  const oldestLoadedAt = query.hasNextPage ? (entries.at(-1)?.at ?? '') : ''
  const paymentEntries = allPaymentEntries.filter(({ at }) => at >= oldestLoadedAt)
  return [...entries, ...paymentEntries].toSorted((a, b) => b.at.localeCompare(a.at))
}

function paymentEntryOf({ id, createdAt, kind, status, amount, number }: Invoice): Entry {
  const title =
    kind === 'credit_note' ? `${exactDollars(amount)} refunded` : `Invoice ${status}, ${exactDollars(amount)}`
  return { id, at: createdAt, kind: 'payment', title, detail: number ?? '', mailId: null }
}

function TimelineItem({ entry: { kind, detail, at }, children }: { entry: Entry; children: ReactNode }) {
  const { icon: Icon, name } = kindLooks[kind]
  return (
    <li className="relative flex gap-4 pb-5 last:pb-0 not-last:before:absolute not-last:before:top-8 not-last:before:bottom-0 not-last:before:left-3.5 not-last:before:w-px not-last:before:bg-line">
      <span className="grid size-7 shrink-0 place-items-center rounded-full border border-line bg-ground text-muted">
        <Icon className="size-3.5" />
        <span className="sr-only">{name}: </span>
      </span>
      <div className="min-w-0 flex-1 text-sm">
        {children}
        <span className="block text-xs break-words text-muted">
          <Time value={at} withClock />
          {detail && `, ${detail}`}
        </span>
      </div>
    </li>
  )
}

const linkClasses = 'underline decoration-line underline-offset-4 hover:decoration-accent'

function EntryTitle(props: { entry: Entry; customerId: string; onRead: (mailId: string) => void }) {
  const { entry, customerId, onRead } = props
  const { kind, title, mailId } = entry
  if (mailId)
    return (
      <button
        type="button"
        onClick={() => onRead(mailId)}
        className={classes(linkClasses, 'cursor-pointer text-left break-words text-muted')}
      >
        {title}
      </button>
    )
  const text = <span className="line-clamp-3 font-medium break-words whitespace-pre-line">{title}</span>
  if (kind !== 'message') return text
  return (
    <Link href={`/admin/messages?customerId=${customerId}`} className={linkClasses}>
      {text}
    </Link>
  )
}

function MailDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const query = useData(customers.adminMail, { id })
  const { data } = query
  return (
    <Dialog
      title={data?.subject ?? 'Email'}
      description={data && <Time before="Sent" value={data.sentAt} withClock />}
      onClose={onClose}
      className="max-w-2xl"
    >
      {!data && <Pending query={query} className="h-60" />}
      {data && (
        <section
          aria-label="Text of the email"
          tabIndex={0}
          className="max-h-[50vh] overflow-y-auto rounded-md border border-line bg-ground p-4 font-sans text-sm break-words whitespace-pre-wrap"
        >
          {data.text}
        </section>
      )}
      {data && !data.isResendable && (
        <p className="text-sm text-muted">Its link works once. Use “Send password link” for a new one.</p>
      )}
      {data?.isResendable && (
        <DialogButtons onClose={onClose}>
          <CallButton
            call={customers.adminResend}
            input={{ id }}
            options={{ succeeded: 'Resent', failed: 'Couldn’t resend', onSuccess: onClose }}
          >
            Resend
          </CallButton>
        </DialogButtons>
      )}
    </Dialog>
  )
}
