export const dayMs = 86_400_000

/** Marked as pure so that pages that only need `dayMs` do not build it. */
const dayFormat = /* @__PURE__ */ new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' })

/** For example "Nov 15, 2026", in UTC. */
export const dayInWords = (date: Date | string) => dayFormat.format(new Date(date))
