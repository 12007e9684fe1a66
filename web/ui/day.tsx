const dayFormat = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' })

const monthFormat = new Intl.DateTimeFormat('en-US', { month: 'long', year: 'numeric', timeZone: 'UTC' })

/** Like "May 2026", in UTC, so that the text is the same for every visitor. */
export const monthOf = (value: string) => monthFormat.format(new Date(value))

/** For prerendered pages: UTC, so that the text is the same for every visitor. */
export function Day({ value }: { value: string }) {
  return (
    <time dateTime={value} className="whitespace-nowrap">
      {dayFormat.format(new Date(value))}
    </time>
  )
}
