const dayFormat = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' })

const monthFormat = new Intl.DateTimeFormat('en-US', { month: 'long', year: 'numeric', timeZone: 'UTC' })

/** Formats a month like "May 2026". UTC, so that the text is the same for every visitor. */
export const monthOf = (value: string) => monthFormat.format(new Date(value))

/** Day on a prerendered page, like "Nov 15, 2026". UTC, so that the text is the same for every visitor. */
export function Day({ value }: { value: string }) {
  return (
    <time dateTime={value} className="whitespace-nowrap">
      {dayFormat.format(new Date(value))}
    </time>
  )
}
