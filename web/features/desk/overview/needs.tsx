import { ChevronRight, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { mostCounted, type NeedKind, overview } from '#contract/desk/overview.ts'
import { settings } from '#contract/desk/settings.ts'
import { stripeSetup } from '#contract/selling/stripe-setup.ts'
import { useData } from '#web/api/client.ts'
import { Pending, Skeleton } from '#web/ui/card.tsx'
import { type Href, Link } from '#web/ui/navigation.tsx'
import { Badge } from '#web/ui/notice.tsx'
import { Time } from '#web/ui/time.tsx'
import { number } from '../parts/count.ts'
import { Nothing } from './figure.tsx'

export const counted = (value: number) => `${number(value)}${value < mostCounted ? '' : '+'}`

type Words = { one: string; many?: string; due?: string; todo?: string; href?: Href }

/** What one is called, and many if not with an s; and the list that shows exactly those: of purchases, unless it says otherwise. */
const texts: Record<NeedKind, Words> = {
  fraud_warnings: { one: 'fraud warning' },
  disputes: { one: 'disputed payment', due: 'Answer the bank by' },
  lost_disputes: {
    one: 'lost dispute, still subscribed',
    many: 'lost disputes, still subscribed',
    todo: 'End the subscription, or keep it',
  },
  failed_refunds: { one: 'refund that a bank sent back', many: 'refunds that banks sent back' },
  uncovered_notes: {
    one: 'credit note without its refund',
    many: 'credit notes without their refunds',
    todo: 'Refund again, or note that you paid another way',
  },
  overdue_requests: { one: 'overdue access request', due: 'Promised by', href: '/admin/access?overdue=yes' },
  declarations: {
    one: 'declaration to decide',
    many: 'declarations to decide',
    due: 'Due by',
    href: '/admin/purchases/declarations?state=open',
  },
  failed_payments: {
    one: 'failed payment',
    due: 'The first loses access on',
    href: '/admin/purchases?status=past_due',
  },
  stuck_renewals: {
    one: 'renewal that Stripe hasn’t charged',
    many: 'renewals that Stripe hasn’t charged',
    todo: 'Open the draft invoice at Stripe, correct what it names, and finalize it',
  },
  untaxed: {
    one: 'subscription charged without tax',
    many: 'subscriptions charged without tax',
    todo: 'Add the customer’s country at Stripe, and turn on automatic tax there',
  },
  missing_at_stripe: {
    one: 'subscription that Stripe doesn’t know',
    many: 'subscriptions that Stripe doesn’t know',
    todo: 'Wrong keys? If not, end them as gone at Stripe',
  },
  messages: { one: 'message to answer', many: 'messages to answer', href: '/admin/messages?state=open' },
  new_requests: { one: 'new access request', href: '/admin/access?overdue=no' },
  declined_to_end: {
    one: 'declined buyer who still pays',
    many: 'declined buyers who still pay',
    todo: 'Refund and cancel, or keep the subscription',
    href: '/admin/access/people?endRequested=yes',
  },
  unscripted_products: {
    one: 'product on sale without a script',
    many: 'products on sale without a script',
    todo: 'Choose its scripts, or its buyers wait for you',
    href: '/admin/access/connection',
  },
  access_stuck: {
    one: 'person who paid and is stuck',
    many: 'people who paid and are stuck',
    href: '/admin/access?kind=stuck',
  },
  access_name_not_found: {
    one: 'TradingView username that does not exist',
    many: 'TradingView usernames that do not exist',
    href: '/admin/access?kind=name_not_found',
  },
  access_name_taken: {
    one: 'TradingView username that two customers use',
    many: 'TradingView usernames that two customers use',
    href: '/admin/access?kind=name_taken',
  },
  access_name_unreadable: {
    one: 'TradingView username that is not valid',
    many: 'TradingView usernames that are not valid',
    href: '/admin/access?kind=name_unreadable',
  },
  access_had_access: {
    one: 'person who had access before',
    many: 'people who had access before',
    todo: 'Manage it from here, so it ends with the subscription',
    href: '/admin/access?kind=had_access',
  },
  access_renamed: {
    one: 'person who seems to have another username now',
    many: 'people who seem to have other usernames now',
    href: '/admin/access?kind=renamed',
  },
  to_lock: { one: 'person to remove', many: 'people to remove', href: '/admin/access?kind=lock' },
  paused_newsletters: { one: 'paused newsletter', todo: 'Resume it, or stop it', href: '/admin/messages/newsletters' },
  unknown_subscriptions: {
    one: 'subscription that is paid and unknown here',
    many: 'subscriptions that are paid and unknown here',
    todo: 'Take it over, or cancel it at Stripe',
    href: '/admin/purchases/at-stripe',
  },
  revenue_differs: {
    one: 'subscription that Stripe counts differently',
    many: 'subscriptions that Stripe counts differently',
    todo: 'Compare it with Stripe',
    href: '/admin/overview/figures',
  },
  failed_jobs: { one: 'failed job', href: '/admin/activity' },
  settings: { one: 'setting to fix', many: 'settings to fix', href: '/admin/settings' },
}

function useNeeds() {
  const needs = useData(overview.adminNeeds, {})
  const stripe = useData(stripeSetup.adminCheck, {}, { once: true })
  const toDo = stripe.data?.filter(({ state }) => state === 'todo').length ?? 0
  return { ...needs, toDo, isCounted: !needs.isPending && !stripe.isPending }
}

/** The overview in one line, for the screen that the desk opens with. */
export function Attention() {
  const { data, toDo, isCounted } = useNeeds()
  const count = (data ?? []).reduce((sum, need) => sum + need.count, toDo)
  if (!isCounted) return <Skeleton className="h-9 rounded-md" />
  if (!data) return null
  return (
    <Link
      href="/admin/overview"
      className="flex min-h-9 items-center gap-2 rounded-md bg-surface px-3 text-sm font-medium hover:bg-accent-soft/60"
    >
      {count > 0 && <TriangleAlert className="size-4 shrink-0 text-danger" />}
      {count === 0 && 'All clear: nothing needs attention'}
      {count === 1 && '1 thing needs attention'}
      {count > 1 && `${counted(count)} things need attention`}
      <ChevronRight className="ml-auto size-4 shrink-0 text-muted" />
    </Link>
  )
}

/** What the shop can't do without the seller: it comes before any figure. */
export function Needs() {
  const { toDo, ...query } = useNeeds()
  const { data } = query
  if (!data) return <Pending query={query} className="h-28 rounded-lg" />
  return (
    <section aria-labelledby="needs" className="flex flex-col gap-3">
      <h2 id="needs" className="text-lg">
        Needs attention
      </h2>
      {data.length + toDo === 0 ? (
        <Nothing>All clear.</Nothing>
      ) : (
        <ul className="grid gap-3 sm:grid-cols-2 xl:grid-cols-3">
          {data.map(({ kind, count, dueAt }) => {
            const { one, many = `${one}s`, due, todo, href = `/admin/purchases?need=${kind}` } = texts[kind]
            return (
              <Row key={kind} href={href} count={count} text={count === 1 ? one : many}>
                {due && dueAt ? <Time before={due} value={dueAt} withClock /> : todo}
              </Row>
            )
          })}
          {toDo > 0 && (
            <Row href="/admin/settings" count={toDo} text={toDo === 1 ? 'Stripe step left' : 'Stripe steps left'} />
          )}
        </ul>
      )}
    </section>
  )
}

function Row(props: { href: Href; count: number; text: string; children?: ReactNode }) {
  const { href, count, text, children } = props
  return (
    <li>
      <Link
        href={href}
        className="flex h-full min-h-18 items-center gap-3 rounded-lg border border-line bg-surface px-4 py-3 shadow-card transition-colors hover:border-field"
      >
        <Badge tone="bad" className="min-w-8 justify-center tabular-nums">
          {counted(count)}
        </Badge>
        <span className="min-w-0 flex-1">
          <span className="block font-medium">{text}</span>
          {children && <span className="block text-sm text-muted">{children}</span>}
        </span>
        <ChevronRight className="size-4 shrink-0 text-muted" />
      </Link>
    </li>
  )
}

const needed = new Map([
  ['SELLER_NAME', 'name'],
  ['SELLER_STREET', 'street'],
  ['SELLER_CITY', 'city'],
  ['SELLER_COUNTRY', 'country'],
])
const listed = new Intl.ListFormat('en')

/** Selling without an imprint is unlawful in most of Europe, so the seller can't overlook it. */
export function ImprintWarning() {
  const { data } = useData(settings.adminShow, {})
  const missing = (data?.settings ?? []).flatMap(({ name, value }) => (value ? [] : (needed.get(name) ?? [])))
  if (missing.length === 0) return null
  return (
    <div role="alert" className="flex gap-4 rounded-lg border-2 border-danger bg-danger-soft p-5">
      <TriangleAlert className="mt-0.5 size-6 shrink-0 text-danger" />
      <div className="flex min-w-0 flex-col gap-1">
        <p className="font-semibold text-danger">Your imprint is incomplete</p>
        <p>
          By law, visitors must know who is selling to them. Add your {listed.format(missing)} in{' '}
          <Link href="/admin/settings" className="font-medium underline underline-offset-2">
            Settings
          </Link>
          , then look at the{' '}
          <Link href="/legal/imprint" className="font-medium underline underline-offset-2">
            imprint
          </Link>
          .
        </p>
      </div>
    </div>
  )
}
