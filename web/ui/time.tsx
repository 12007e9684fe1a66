const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })
const dayAndClock = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' })

/** A date, or a date and time, in the visitor's own time zone and language; the exact time on hover. */
export function Time({ value, withClock = false }: { value: string; withClock?: boolean }) {
  const date = new Date(value)
  return (
    <time dateTime={value} title={exact.format(date)} className="whitespace-nowrap">
      {(withClock ? dayAndClock : day).format(date)}
    </time>
  )
}
