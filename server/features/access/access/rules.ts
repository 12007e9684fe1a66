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
  /** TradingView account that is unlocked by our record: none, the one of the wanted username, or another. */
  unlockedAccount: 'none' | 'same' | 'other'
  /** True if the connector unlocks and locks; otherwise the seller does. */
  hasConnector: boolean
}

export type Step = { to: AccessState; needsDecision?: boolean }

export const isPaid = ({ reason, until }: Pick<AccessRow, 'reason' | 'until'>, now: Date) =>
  reason !== null && (until === null || until > now)

export function factsOf(row: AccessRow, hasConnector: boolean, now: Date): Facts {
  const { state, needsDecision, nameKey } = row
  const unlockedAccount = unlockedAccountOf(row)
  return { state, needsDecision, unlockedAccount, hasConnector, isPaid: isPaid(row, now), isNamed: nameKey !== null }
}

function unlockedAccountOf({ unlockedName, nameKey }: AccessRow): Facts['unlockedAccount'] {
  if (unlockedName === null) return 'none'
  return normalizeUsername(unlockedName) === nameKey ? 'same' : 'other'
}

/** Undefined if the event changes nothing. */
export function nextStep(event: AccessEvent, facts: Facts): Step | undefined {
  const { state, needsDecision, unlockedAccount, hasConnector, isNamed } = facts
  const isWaiting = state === 'asked' || state === 'unlocking'
  const startOfUnlock: Step = { to: hasConnector && isNamed ? 'unlocking' : 'asked' }
  switch (event) {
    case 'asked':
      if (!facts.isPaid) return undefined
      // Only the seller can reverse the seller's decisions.
      if (needsDecision || state === 'declined' || state === 'withheld') return { to: 'asked', needsDecision: true }
      return unlockedAccount === 'same' ? { to: 'unlocked' } : startOfUnlock
    case 'paid':
    case 'connector_on': {
      if (!facts.isPaid || !hasConnector || !isNamed || needsDecision) return undefined
      const hasNoRequest = state === 'none' || state === 'locked'
      const takesOverRequest = event === 'connector_on' && state === 'asked'
      return hasNoRequest || takesOverRequest ? { to: 'unlocking' } : undefined
    }
    case 'connector_off':
      return !hasConnector && state === 'unlocking' ? { to: 'asked' } : undefined
    case 'ended':
      // Remains unlocked until the removal on TradingView is recorded, by `closed`.
      if (unlockedAccount !== 'none') return { to: 'unlocked' }
      return state === 'none' || state === 'locked' ? undefined : { to: 'none' }
    case 'granted':
    case 'restored': {
      const mayUnlock = event === 'restored' ? state === 'withheld' : isWaiting
      if (!facts.isPaid || !mayUnlock) return undefined
      if (!hasConnector) return { to: 'unlocked' }
      return isNamed && state !== 'unlocking' ? { to: 'unlocking' } : undefined
    }
    case 'declined': {
      if (state !== 'asked') return undefined
      // A buyer who asked to move to another account keeps the one that is unlocked.
      const keepsUnlockedAccount = unlockedAccount === 'other' && !needsDecision
      return { to: keepsUnlockedAccount ? 'unlocked' : 'declined' }
    }
    case 'withheld':
      if (!facts.isPaid) return undefined
      return state === 'unlocked' || state === 'unlocking' ? { to: 'withheld' } : undefined
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

/** Tells if a username should be on TradingView's lists. A replaced username stays until the new one is unlocked. */
export function targetStateFor(
  row: AccessRow,
  usernameKey: string,
  now: Date,
): { isWanted: boolean; until: Date | null } {
  const { state, nameKey, unlockedName, needsDecision, undoUntil, until } = row
  const isWantedName = usernameKey === nameKey
  const isReplacedName = !isWantedName && unlockedName !== null && usernameKey === normalizeUsername(unlockedName)
  const mayBeUndone = undoUntil !== null && undoUntil > now
  const isUnlockDue = state === 'unlocked' || (state === 'unlocking' && !mayBeUndone)
  const isReplacementPending = state === 'unlocking' || (state === 'asked' && !needsDecision)
  const isWanted = (isWantedName && isUnlockDue) || (isReplacedName && isReplacementPending)
  return isWanted && isPaid(row, now) ? { isWanted, until } : { isWanted: false, until: null }
}

/** After 10 minutes without the connector, the buyer gets a promise by email and the seller sees the request. */
export const connectorPatienceMs = 10 * 60_000

/** Facts outside the row: the connection, and this username on TradingView's lists. */
export type TodoFacts = {
  /** True if there is a connection, working or not. */
  isOn: boolean
  /** True if the connector locks people of this product. */
  hasLockingConnector: boolean
  /** Username that the buyer's list entry has now, if no customer has it. */
  renamedTo: string | null
  /** Start of the failure that made the connector give up, if it did. */
  gaveUpSince: Date | null
  /** True if the username is on a list that the shop did not add it to. */
  hadAccess: boolean
}

type Todo = { todo: TodoKind; todoSince: Date; dueAt: Date | null }
const noTodo = { todo: null, todoSince: null, dueAt: null }

/** docs/access.md lists the tasks. */
export function todoOf(row: AccessRow, facts: TodoFacts, now: Date): Todo | typeof noTodo {
  const todo = todoKindOf(row, facts, now)
  if (!todo) return noTodo
  const isWaiting = row.state === 'asked' || row.state === 'unlocking'
  const askedAt = isWaiting ? row.askedAt : null
  return { todo, todoSince: askedAt ?? row.stateSince, dueAt: askedAt && promisedBy(askedAt) }
}

function todoKindOf(row: AccessRow, facts: TodoFacts, now: Date): TodoKind | null {
  const { state, reason, nameProblem, unlockedName, stateSince, askedAt } = row
  const { isOn, renamedTo, gaveUpSince } = facts
  const patienceStart = new Date(now.getTime() - connectorPatienceMs)
  const isAsked = state === 'asked'
  const isRefused = state === 'declined' || state === 'withheld'
  if (isAsked && row.needsDecision) return 'decide'
  if (nameProblem === 'taken' && reason !== null && !isRefused) return 'name_taken'
  if (nameProblem === 'unreadable' && isOn && isAsked) return 'name_unreadable'
  if (isAsked) return unlockedName === null ? 'unlock' : 'move'

  const hasEndedButUnlocked = state === 'unlocked' && reason === null
  const mustBeLocked = unlockedName !== null && (hasEndedButUnlocked || state === 'withheld')
  const isConnectorLocking = facts.hasLockingConnector && stateSince > patienceStart
  if (mustBeLocked && !isConnectorLocking) return 'lock'

  // The remaining tasks are problems of the connector with a paying buyer.
  const isManagedByConnector = isOn && (state === 'unlocking' || state === 'unlocked')
  if (!isManagedByConnector || reason === null) return null
  if (nameProblem === 'not_found') return renamedTo === null ? 'name_not_found' : 'renamed'
  // Ignores failures from before an unlock by hand.
  const hasGivenUp = gaveUpSince !== null && (state === 'unlocking' || gaveUpSince >= stateSince)
  const hasWaitedTooLong =
    state === 'unlocking' && row.undoUntil === null && askedAt !== null && askedAt < patienceStart
  if (hasGivenUp || hasWaitedTooLong) return 'stuck'
  return facts.hadAccess ? 'had_access' : null
}
