import { ChevronRight, Clock } from 'lucide-react'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { needHref, needText } from '#contract/admin/need-texts.ts'
import { Pending } from '#web/ui/card.tsx'
import { classes } from '#web/ui/classes.ts'
import { type Href, Link } from '#web/ui/navigation.tsx'
import { Badge } from '#web/ui/notice.tsx'
import { Time } from '#web/ui/time.tsx'
import { toast } from '#web/ui/toast.tsx'
import { dueIn } from '../parts/time-left.tsx'
import { isMeantElsewhere, keysAreOn } from '../shell/use-keys.ts'
import { useSetAside } from './set-aside.ts'
import { formatCapped, useNeeds } from './use-needs.ts'

type InboxItem = {
  kind: string
  count: number
  dueAt: string | null
  text: string
  note?: string | undefined
  href: Href
}

export function Inbox() {
  const { query, needs, stripeSteps } = useNeeds()
  const { isSetAside, setAside, showAll } = useSetAside()
  const [now] = useState(() => Date.now())
  if (!needs) return <Pending query={query} what="the inbox" className="h-28 rounded-lg" />
  const allItems: InboxItem[] = needs.map((need) => ({
    ...need,
    ...needText(need.kind, formatCapped(need.count)),
    href: needHref(need.kind),
  }))
  if (stripeSteps > 0)
    allItems.push({
      kind: 'stripe',
      count: stripeSteps,
      dueAt: null,
      text: stripeSteps === 1 ? 'Take 1 step at Stripe' : `Take ${stripeSteps} steps at Stripe`,
      href: '/admin/settings',
    })
  const isUrgent = ({ dueAt }: InboxItem) => dueAt !== null && dueIn(dueAt, now).tone !== 'neutral'
  const visibleItems = allItems.filter((item) => isUrgent(item) || !isSetAside(item.kind, item.count))
  const hiddenCount = allItems.length - visibleItems.length
  function putOff(item: InboxItem) {
    if (isUrgent(item)) toast({ title: 'It stays', description: 'It is due within 48 hours.' })
    else setAside(item.kind, item.count)
  }
  return (
    <section aria-labelledby="inbox" className="flex flex-col gap-3">
      <header className="flex flex-wrap items-baseline gap-x-4">
        <h2 id="inbox" className="text-lg">
          Inbox
        </h2>
        {visibleItems.length > 0 && (
          <p className="text-xs text-muted max-lg:hidden">
            <kbd className="font-mono">J</kbd> and <kbd className="font-mono">K</kbd> move,{' '}
            <kbd className="font-mono">Enter</kbd> opens, <kbd className="font-mono">E</kbd> puts off until tomorrow
          </p>
        )}
      </header>
      {visibleItems.length === 0 ? (
        <p className="rounded-lg border border-dashed border-line px-5 py-4 text-muted">
          {hiddenCount === 0 ? 'All clear. Nothing needs you.' : 'All clear for today.'}
        </p>
      ) : (
        <ItemList items={visibleItems} now={now} onPutOff={putOff} />
      )}
      {hiddenCount > 0 && (
        <p className="text-sm text-muted">
          {hiddenCount} put off until tomorrow.{' '}
          <button type="button" onClick={showAll} className="cursor-pointer font-medium text-ink underline">
            Show
          </button>
        </p>
      )}
    </section>
  )
}

function ItemList({ items, now, onPutOff }: { items: InboxItem[]; now: number; onPutOff: (item: InboxItem) => void }) {
  const list = useRef<HTMLUListElement>(null)
  const handleKey = useEffectEvent((event: KeyboardEvent) => {
    if (isMeantElsewhere(event) || !keysAreOn()) return
    const links = [...(list.current?.querySelectorAll<HTMLElement>('a') ?? [])]
    const focusedIndex = links.findIndex((link) => link === document.activeElement)
    const focusedItem = items[focusedIndex]
    switch (event.key.toLowerCase()) {
      case 'j':
        links[Math.min(focusedIndex + 1, links.length - 1)]?.focus()
        break
      case 'k':
        links[Math.max(focusedIndex - 1, 0)]?.focus()
        break
      case 'e': {
        if (!focusedItem) return
        // The item is about to disappear, so the next one gets the focus, or the one before.
        const neighborIndex = focusedIndex + 1 < links.length ? focusedIndex + 1 : focusedIndex - 1
        links[neighborIndex]?.focus()
        onPutOff(focusedItem)
        break
      }
      default:
        return
    }
    event.preventDefault()
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => handleKey(event)
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [])
  return (
    <ul ref={list} className="overflow-hidden rounded-lg border border-line bg-surface shadow-card">
      {items.map((item) => (
        <li
          key={item.kind}
          className="group flex items-center border-b border-line transition-colors last:border-b-0 focus-within:bg-accent-soft/60 hover:bg-accent-soft/40"
        >
          <Link
            href={item.href}
            className="flex min-h-11 min-w-0 flex-1 flex-wrap items-center gap-x-3 gap-y-0.5 px-4 py-2 -outline-offset-2"
          >
            <span className="text-sm font-medium">{item.text}</span>
            {item.note && <span className="text-sm text-muted max-sm:hidden">{item.note}</span>}
            {item.dueAt && <DueBadge dueAt={item.dueAt} now={now} />}
          </Link>
          <button
            type="button"
            aria-label={`Put off until tomorrow: ${item.text}`}
            title="Put off until tomorrow"
            onClick={() => onPutOff(item)}
            className="grid size-11 shrink-0 cursor-pointer place-items-center text-muted opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 hover:text-ink pointer-coarse:opacity-100"
          >
            <Clock className="size-4" />
          </button>
          <ChevronRight aria-hidden="true" className="mr-3 size-4 shrink-0 text-muted" />
        </li>
      ))}
    </ul>
  )
}

function DueBadge({ dueAt, now }: { dueAt: string; now: number }) {
  const { text, tone } = dueIn(dueAt, now)
  return (
    <Badge tone={tone} className={classes('ml-auto', tone === 'neutral' && 'bg-transparent text-muted')}>
      {text}
      <span className="sr-only">
        {', '}
        <Time value={dueAt} withClock />
      </span>
    </Badge>
  )
}
