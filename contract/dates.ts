export const dayMs = 86_400_000

const dayFormat = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' })

/** For example "Nov 15, 2026", in UTC. */
export const dayInWords = (date: Date | string) => dayFormat.format(new Date(date))
