import { useHydrated } from './store.ts'

/** Made when it is first needed: that takes a while, and most pages show no time. */
function format(options: Intl.DateTimeFormatOptions, locale?: string) {
  let made: Intl.DateTimeFormat | undefined
  return (date: Date) => {
    made ??= new Intl.DateTimeFormat(locale, options)
    return made.format(date)
  }
}
const day = format({ dateStyle: 'medium' })
const dayAndClock = format({ dateStyle: 'medium', timeStyle: 'short' })
const exact = format({ dateStyle: 'full', timeStyle: 'long' })
/** What the server writes, which knows nothing of the visitor. */
const plain = format({ dateStyle: 'medium', timeZone: 'UTC' }, 'en-US')

type Props = { value: string | null | undefined; withClock?: boolean; before?: string; after?: string }

/** A date, or date and time, in the visitor’s zone and language. Without one, the words around it are not said either. */
export function Time({ value, withClock = false, before, after }: Props) {
  const isHydrated = useHydrated()
  if (!value) return null
  const date = new Date(value)
  return (
    <>
      {before && `${before} `}
      <time dateTime={value} title={isHydrated ? exact(date) : undefined} className="whitespace-nowrap">
        {(isHydrated ? (withClock ? dayAndClock : day) : plain)(date)}
      </time>
      {after}
    </>
  )
}
