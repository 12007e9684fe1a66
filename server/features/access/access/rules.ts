import type { AccessEvent, AccessState } from '#contract/statuses.ts'
import { keyOfName } from '#contract/tradingview-name.ts'
import type { access } from '#server/database/schema.ts'

export type AccessRow = typeof access.$inferSelect

/** What the rules look at; docs/access.md is their table. */
export type Facts = {
  state: AccessState
  isPaid: boolean
  /** There is a name that can be unlocked: readable, and no other customer's. */
  isNamed: boolean
  needsDecision: boolean
  /** Which account has access by our record: none, the one that is wanted, or another. */
  holds: 'none' | 'same' | 'other'
  /** Whether the connector unlocks and locks at the moment; otherwise the seller does. */
  connector: boolean
}

type Step = { to: AccessState; needsDecision?: boolean }

export const isPaid = ({ reason, until }: Pick<AccessRow, 'reason' | 'until'>, now: Date) =>
  reason !== null && (until === null || until > now)

export function factsOf(row: AccessRow, connector: boolean, now: Date): Facts {
  const { state, needsDecision, nameKey, unlockedName } = row
  const holds = unlockedName === null ? 'none' : keyOfName(unlockedName) === nameKey ? 'same' : 'other'
  return { state, needsDecision, holds, connector, isPaid: isPaid(row, now), isNamed: nameKey !== null }
}

/** Where an event leads; undefined if it changes nothing. */
export function next(event: AccessEvent, facts: Facts): Step | undefined {
  const { state, needsDecision, holds, connector, isNamed } = facts
  const isWaiting = state === 'asked' || state === 'unlocking'
  const start: Step = { to: connector && isNamed ? 'unlocking' : 'asked' }
  switch (event) {
    case 'asked':
      if (!facts.isPaid) return undefined
      // Only the seller can take back what the seller decided.
      if (needsDecision || state === 'declined' || state === 'withheld') return { to: 'asked', needsDecision: true }
      return holds === 'same' ? { to: 'unlocked' } : start
    case 'paid':
    case 'connector_on': {
      const mayStart = state === 'none' || state === 'locked' || (event === 'connector_on' && state === 'asked')
      return facts.isPaid && connector && isNamed && mayStart && !needsDecision ? { to: 'unlocking' } : undefined
    }
    case 'connector_off':
      return !connector && state === 'unlocking' ? { to: 'asked' } : undefined
    case 'ended':
      if (holds !== 'none') return { to: 'unlocked' }
      return state === 'none' || state === 'locked' ? undefined : { to: 'none' }
    case 'granted':
    case 'restored': {
      const isFrom = event === 'restored' ? state === 'withheld' : isWaiting
      if (!facts.isPaid || !isFrom) return undefined
      if (!connector) return { to: 'unlocked' }
      return isNamed && state !== 'unlocking' ? { to: 'unlocking' } : undefined
    }
    case 'declined':
      if (state !== 'asked') return undefined
      return { to: holds === 'other' && !needsDecision ? 'unlocked' : 'declined' }
    case 'withheld':
      return facts.isPaid && (state === 'unlocked' || state === 'unlocking') ? { to: 'withheld' } : undefined
    case 'opened':
      return state === 'unlocking' ? { to: 'unlocked' } : undefined
    case 'closed':
      return state === 'unlocked' && !facts.isPaid ? { to: 'locked' } : undefined
    case 'named':
    case 'renamed':
    case 'undone':
      return undefined
  }
}

/** Whether a name should be on TradingView's lists: a new one once it is to be unlocked, an old one until the new one is. */
export function wishFor(row: AccessRow, usernameKey: string, now: Date): { isWanted: boolean; until: Date | null } {
  const { state, nameKey, unlockedName, needsDecision, undoUntil, until } = row
  const isNew = usernameKey === nameKey
  const isOld = !isNew && unlockedName !== null && usernameKey === keyOfName(unlockedName)
  const mayBeUndone = undoUntil !== null && undoUntil > now
  const isWanted =
    (isNew && (state === 'unlocked' || (state === 'unlocking' && !mayBeUndone))) ||
    (isOld && (state === 'unlocking' || (state === 'asked' && !needsDecision)))
  return isWanted && isPaid(row, now) ? { isWanted, until } : { isWanted: false, until: null }
}
