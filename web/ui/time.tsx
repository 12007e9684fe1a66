const dayFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })
const clockFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const exactFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' })

type Props = { value: string | null | undefined; withClock?: boolean; before?: string; after?: string }

/** Date, or date and time, in the visitor’s zone and language. Renders nothing at all without a value. */
export function Time({ value, withClock = false, before, after }: Props) {
  if (!value) return null
  const date = new Date(value)
  return (
    <>
      {before && `${before} `}
      <time dateTime={value} className="whitespace-nowrap" title={exactFormat.format(date)}>
        {(withClock ? clockFormat : dayFormat).format(date)}
      </time>
      {after}
    </>
  )
}
