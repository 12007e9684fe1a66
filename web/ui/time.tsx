const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' })

/** A day in the visitor's own zone and language; the exact moment on hover. */
export function Time({ value }: { value: string }) {
  const date = new Date(value)
  return (
    <time dateTime={value} title={exact.format(date)}>
      {day.format(date)}
    </time>
  )
}
