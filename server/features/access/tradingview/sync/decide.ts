/** What to do about one username on one script: the table of docs/tradingview.md. */
export type Wanted = { isWanted: boolean; until: Date | null }
export type Observed = { isPresent: boolean; until: Date | null }
export type Action = 'nothing' | 'add' | 'modify' | 'remove' | 'leave'

const tolerance = 60_000
const lasts = (until: Date | null) => until?.getTime() ?? Number.POSITIVE_INFINITY

export const isSameUntil = (a: Date | null, b: Date | null) =>
  a === null || b === null ? a === b : Math.abs(a.getTime() - b.getTime()) <= tolerance

/** Something whose time is over is not wanted anymore, whatever the books still say. */
export const isWantedNow = ({ isWanted, until }: Wanted, now: Date) =>
  isWanted && lasts(until) > now.getTime()

/**
 * `isOurs`: this shop granted it, or an admin took it over. Anybody else is never removed nor shortened; if they
 * buy, what they have is only extended.
 */
export function decide(observed: Observed, wanted: Wanted, isOurs: boolean, now: Date): Action {
  if (!isWantedNow(wanted, now)) {
    if (!observed.isPresent) return 'nothing'
    return isOurs ? 'remove' : 'leave'
  }
  if (!observed.isPresent) return 'add'
  if (isSameUntil(observed.until, wanted.until)) return 'nothing'
  if (isOurs) return 'modify'
  return lasts(observed.until) < lasts(wanted.until) ? 'modify' : 'leave'
}

/** Would take something away: what the modes and the guard look at. */
export const takesAway = (action: Action, observed: Observed, wanted: Wanted) =>
  action === 'remove' || (action === 'modify' && lasts(wanted.until) < lasts(observed.until))
