import { useHydrated } from './store.ts'

const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })
const dayAndClock = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' })
/** What the server writes, which knows nothing of the visitor. */
const plain = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' })

/** A date, or a date and time, in the visitor's own time zone and language; the exact time on hover. */
export function Time({ value, withClock = false }: { value: string; withClock?: boolean }) {
  const date = new Date(value)
  const isHydrated = useHydrated()
  return (
    <time dateTime={value} title={isHydrated ? exact.format(date) : undefined} className="whitespace-nowrap">
      {(isHydrated ? (withClock ? dayAndClock : day) : plain).format(date)}
    </time>
  )
}
