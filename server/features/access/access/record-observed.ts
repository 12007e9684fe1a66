import { and, eq, inArray, isNull, lt, notInArray, or } from 'drizzle-orm'
import type { NameProblem } from '#contract/statuses.ts'
import { normalizeUsername } from '#contract/tradingview-name.ts'
import type { Context } from '#server/context.ts'
import type { Transaction } from '#server/database/connect.ts'
import { lockPerson, personOf } from '#server/database/people.ts'
import { access, awaitsConnector } from '#server/database/schema.ts'
import { setTradingViewUsername } from '#server/features/identity/accounts/accounts.ts'
import {
  type AccessChange,
  type AccessKey,
  askSeller,
  type ChangeContext,
  type ConnectorInterface,
  changeAccess,
  lockRow,
  lockRows,
} from './rows.ts'
import { type AccessRow, connectorPatienceMs, factsOf, nextStep } from './rules.ts'
import { refreshTodo } from './todo-refresh.ts'

/** Records that a username is unlocked on every script of the product. Returns true if the buyer was waiting. */
export async function recordUnlocked(
  tx: Transaction,
  context: ChangeContext,
  buyer: AccessKey,
  username: string,
): Promise<boolean> {
  const row = await lockRow(tx, buyer)
  if (!row || row.nameKey !== normalizeUsername(username)) return false
  const step = nextStep('opened', factsOf(row, true, context.now()))
  if (step) {
    const accessChange = { event: 'opened', to: step.to, username, mail: 'accessUnlocked' } as const
    await changeAccess(tx, context, row, accessChange, { unlockedName: username, decidedBy: null })
  } else if (row.state === 'unlocked' && row.unlockedName !== username) {
    await tx.update(access).set({ unlockedName: username }).where(eq(access.id, row.id))
  }
  return step !== undefined
}

/** Records that an unwanted username is locked on every script of the product. */
export async function recordLocked(tx: Transaction, context: ChangeContext, buyer: AccessKey, username: string) {
  const row = await lockRow(tx, buyer)
  if (!row?.unlockedName || normalizeUsername(row.unlockedName) !== normalizeUsername(username)) return
  await recordRowLocked(tx, context, row, {})
}

/** Records that the row's unlocked username is locked, whichever it is. */
export async function recordRowLocked(
  tx: Transaction,
  context: ChangeContext,
  row: AccessRow,
  { byAdmin = null }: { byAdmin?: string | null },
) {
  const step = nextStep('closed', factsOf(row, true, context.now()))
  if (!step) {
    await tx.update(access).set({ unlockedName: null }).where(eq(access.id, row.id))
    return
  }

  const accessChange: AccessChange = { event: 'closed', to: step.to, username: row.unlockedName, byAdmin }
  if (row.reason === null) accessChange.mail = 'accessEnded'
  await changeAccess(tx, context, row, accessChange, { unlockedName: null, decidedBy: byAdmin })
  // The row of a deleted person was kept only until their access is locked.
  const { deletedAt } = await personOf(tx, row.userId)
  if (deletedAt) await tx.delete(access).where(eq(access.id, row.id))
}

type NameCheck = { username: string; problem: NameProblem | null; similar: string[]; at: Date }

/** Stores TradingView's answer about a username, unless the person has entered another one since. */
export async function recordCheckedName(
  tx: Transaction,
  { id, userId }: Pick<AccessRow, 'id' | 'userId'>,
  { username, problem, similar, at }: NameCheck,
) {
  await lockPerson(tx, userId)
  // Stores the spelling of a username that exists, which is TradingView's.
  const spelling = problem ? {} : { username }
  const checked = await tx
    .update(access)
    .set({ nameProblem: problem, similar, nameCheckedAt: at, ...spelling })
    .where(and(eq(access.id, id), eq(access.nameKey, normalizeUsername(username))))
  if (!checked.rowCount || problem) return
  const { tradingViewUsername } = await personOf(tx, userId)
  if (tradingViewUsername && normalizeUsername(tradingViewUsername) === normalizeUsername(username))
    await setTradingViewUsername(tx, userId, username)
}

const isConnectorOverdue = (now: Date) =>
  and(
    eq(access.state, 'unlocking'),
    isNull(access.nameProblem),
    lt(access.askedAt, new Date(now.getTime() - connectorPatienceMs)),
  )

/** Hands waiting people to the connector if it works, otherwise to the seller. Idempotent. */
export function createConnectorChanges(
  context: Pick<Context, 'catalog' | 'mails' | 'now' | 'supportEmail'>,
  connector: ConnectorInterface,
): (tx: Transaction) => Promise<void> {
  const { now } = context

  return async function connectorChanged(tx) {
    const served = await connector.servedProducts(tx)
    const servedIds = [...served]
    const isServed = inArray(access.productId, servedIds)
    const isNotServed = notInArray(access.productId, servedIds)
    // The connector starts with some of these rows; the seller gets those that have waited too long.
    const isWaiting = or(isConnectorOverdue(now()), awaitsConnector(access))
    const candidates = await tx
      .select({ id: access.id })
      .from(access)
      .where(or(and(isServed, isWaiting), and(isNotServed, eq(access.state, 'unlocking'))))
    const candidateIds = candidates.map(({ id }) => id)
    for (const row of await lockRows(tx, candidateIds)) {
      const hasConnector = served.has(row.productId)
      const event = hasConnector ? 'connector_on' : 'connector_off'
      const step = nextStep(event, factsOf(row, hasConnector, now()))
      if (step) {
        const askedAt = row.state === 'none' || row.state === 'locked' ? now() : row.askedAt
        await changeAccess(tx, context, row, { event, to: step.to }, { askedAt })
        await connector.requestSync(tx, row.userId)
      } else if (row.state === 'unlocking') {
        await askSeller(tx, context, row)
      }
    }
    await refreshTodo(tx, connector, now())
  }
}
