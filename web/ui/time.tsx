/** Made when it is first needed: that takes a while, and most pages show no time. */
function format(options: Intl.DateTimeFormatOptions) {
  let made: Intl.DateTimeFormat | undefined
  return (date: Date) => {
    made ??= new Intl.DateTimeFormat(undefined, options)
    return made.format(date)
  }
}
const day = format({ dateStyle: 'medium' })
const dayAndClock = format({ dateStyle: 'medium', timeStyle: 'short' })
const exact = format({ dateStyle: 'full', timeStyle: 'long' })

type Props = { value: string | null | undefined; withClock?: boolean; before?: string; after?: string }

/** A date, or date and time, in the visitor’s zone and language. Without one, the words around it are not said either. */
export function Time({ value, withClock = false, before, after }: Props) {
  if (!value) return null
  const date = new Date(value)
  return (
    <>
      {before && `${before} `}
      <time
        dateTime={value}
        className="whitespace-nowrap"
        onPointerEnter={({ currentTarget }) => {
          currentTarget.title = exact(date)
        }}
      >
        {(withClock ? dayAndClock : day)(date)}
      </time>
      {after}
    </>
  )
}
