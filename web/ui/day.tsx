const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

/** A day that the server writes, too: the same for every visitor, and without `Intl`, which a phone needs 0.1 s to load. */
export function Day({ value }: { value: string }) {
  const [year, month = 1, date] = value.slice(0, 10).split('-').map(Number)
  return (
    <time dateTime={value} className="whitespace-nowrap">
      {`${months[month - 1]} ${date}, ${year}`}
    </time>
  )
}
