import { promisedBy } from '#contract/access/promise.ts'
import type { AccessEvent, AccessState, TodoKind } from '#contract/statuses.ts'
import { normalizeUsername } from '#contract/tradingview-name.ts'
import type { access } from '#server/database/schema.ts'

export type AccessRow = typeof access.$inferSelect

/** Inputs of the rules. docs/access.md has them as a table. */
export type Facts = {
  state: AccessState
  isPaid: boolean
  /** True if the username can be unlocked: readable, and no other customer's. */
  isNamed: boolean
  needsDecision: boolean
  /** Account with access by our record: none, the wanted one, or another. */
  holds: 'none' | 'same' | 'other'
  /** True if the connector works now; otherwise the seller unlocks and locks. */
  connector: boolean
}

type Step = { to: AccessState; needsDecision?: boolean }

export const isPaid = ({ reason, until }: Pick<AccessRow, 'reason' | 'until'>, now: Date) =>
  reason !== null && (until === null || until > now)

export function factsOf(row: AccessRow, connector: boolean, now: Date): Facts {
  const { state, needsDecision, nameKey, unlockedName } = row
  const holds = unlockedName === null ? 'none' : normalizeUsername(unlockedName) === nameKey ? 'same' : 'other'
  return { state, needsDecision, holds, connector, isPaid: isPaid(row, now), isNamed: nameKey !== null }
}

/** Returns the next state, or undefined if the event changes nothing. */
export function next(event: AccessEvent, facts: Facts): Step | undefined {
  const { state, needsDecision, holds, connector, isNamed } = facts
  const isWaiting = state === 'asked' || state === 'unlocking'
  const start: Step = { to: connector && isNamed ? 'unlocking' : 'asked' }
  switch (event) {
    case 'asked':
      if (!facts.isPaid) return undefined
      // Only the seller can reverse the seller's decisions.
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

/** Tells if a username should be on TradingView's lists. An old username stays until the new one is unlocked. */
export function wishFor(row: AccessRow, usernameKey: string, now: Date): { isWanted: boolean; until: Date | null } {
  const { state, nameKey, unlockedName, needsDecision, undoUntil, until } = row
  const isNew = usernameKey === nameKey
  const isOld = !isNew && unlockedName !== null && usernameKey === normalizeUsername(unlockedName)
  const mayBeUndone = undoUntil !== null && undoUntil > now
  const isWanted =
    (isNew && (state === 'unlocked' || (state === 'unlocking' && !mayBeUndone))) ||
    (isOld && (state === 'unlocking' || (state === 'asked' && !needsDecision)))
  return isWanted && isPaid(row, now) ? { isWanted, until } : { isWanted: false, until: null }
}

/** Wait for the connector before the buyer gets a promise by email and the seller sees the request. */
export const connectorPatience = 10 * 60_000

/** Facts outside the row: the connection, and this username on TradingView's lists. */
export type Surroundings = {
  /** True if there is a connection, working or not. */
  isOn: boolean
  /** True if the connector locks people of this product. */
  locksItself: boolean
  /** Present username of the same entry at TradingView, if no customer has it. */
  newName: string | null
  /** Start of the failure that made the connector give up, if it did. */
  gaveUpSince: Date | null
  /** True if the username is on a list that the shop did not add it to. */
  hadAccess: boolean
}

type Todo = { todo: TodoKind; todoSince: Date; dueAt: Date | null }
const nothing = { todo: null, todoSince: null, dueAt: null }

/** Returns the seller's task for a row, with its start and due time (docs/access.md). */
export function todoOf(row: AccessRow, around: Surroundings, now: Date): Todo | typeof nothing {
  const todo = kindOf(row, around, now)
  if (!todo) return nothing
  const isWaiting = row.state === 'asked' || row.state === 'unlocking'
  const askedAt = isWaiting ? row.askedAt : null
  return { todo, todoSince: askedAt ?? row.stateSince, dueAt: askedAt && promisedBy(askedAt) }
}

function kindOf(row: AccessRow, around: Surroundings, now: Date): TodoKind | null {
  const { state, reason, nameProblem, unlockedName, stateSince, askedAt } = row
  const { isOn, newName, gaveUpSince } = around
  const patience = new Date(now.getTime() - connectorPatience)
  const isAsked = state === 'asked'
  if (isAsked && row.needsDecision) return 'decide'
  if (nameProblem === 'taken' && reason !== null && state !== 'declined' && state !== 'withheld') return 'name_taken'
  if (nameProblem === 'unreadable' && isOn && isAsked) return 'name_unreadable'
  if (isAsked) return unlockedName === null ? 'unlock' : 'move'
  const isLeftOpen = unlockedName !== null && ((state === 'unlocked' && reason === null) || state === 'withheld')
  if (isLeftOpen && !(around.locksItself && stateSince > patience)) return 'lock'
  if (!isOn || reason === null || (state !== 'unlocking' && state !== 'unlocked')) return null
  if (nameProblem === 'not_found') return newName === null ? 'name_not_found' : 'renamed'
  // Ignores failures from before an unlock by hand.
  const hasGivenUp = gaveUpSince !== null && (state === 'unlocking' || gaveUpSince >= stateSince)
  const hasWaited = state === 'unlocking' && row.undoUntil === null && askedAt !== null && askedAt < patience
  if (hasGivenUp || hasWaited) return 'stuck'
  return around.hadAccess ? 'had_access' : null
}
