import { and, eq, inArray, lte } from 'drizzle-orm'
import type { AccessDecision, AccessEvent } from '#contract/statuses.ts'
import { normalizeUsername } from '#contract/tradingview-name.ts'
import type { Actor } from '#server/actor.ts'
import { runEach } from '#server/concurrency/run-each.ts'
import type { Context } from '#server/context.ts'
import type { Transaction } from '#server/database/connect.ts'
import { access } from '#server/database/schema.ts'
import { conflict, notFound } from '#server/errors.ts'
import { setTradingViewUsername } from '#server/features/identity/accounts/accounts.ts'
import type { Names } from './names.ts'
import { recordRowLocked } from './record-observed.ts'
import { type ConnectorInterface, changeAccess, isEndRequested, lockRows } from './rows.ts'
import { type AccessRow, factsOf, nextStep } from './rules.ts'

type DecisionContext = Pick<Context, 'audit' | 'catalog' | 'db' | 'mails' | 'now' | 'supportEmail'>

/** Decisions of the seller's staff. Each is audited, by the id of the access row. */
export type Decisions = {
  /** `byHand`: the seller has done on TradingView what the connector could not. */
  grant(actor: Actor, ids: string[], byHand?: boolean): Promise<{ changed: number }>
  restore(actor: Actor, ids: string[]): Promise<{ changed: number }>
  /** Reverts an unlock before the buyer is told of it. */
  undo(actor: Actor, ids: string[]): Promise<{ changed: number }>
  /** A buyer who only asked for another username keeps the old one. Returns those who were declined. */
  decline(actor: Actor, ids: string[], reason: string, endsSubscription: boolean): Promise<Declined[]>
  /** Withholds access from a paying buyer until `restore`. Without the connector, the seller has removed it already. */
  withhold(actor: Actor, ids: string[]): Promise<{ changed: number }>
  /** Records that the seller has removed someone by hand. */
  lock(actor: Actor, ids: string[]): Promise<{ changed: number }>
  announce(): Promise<void>
  rename(actor: Actor, id: string, username: string): Promise<void>
  /** Throws 409 unless the row was declined together with the subscription, which is still paid. */
  findEndRequest(id: string): Promise<Declined>
  keepSubscription(actor: Actor, id: string): Promise<void>
}

type Declined = Pick<AccessRow, 'userId' | 'productId'>

/** Undo window of an unlock by hand. After it, the buyer is told, TradingView is called and the keys are deleted. */
const undoWindowMs = 60_000

/** Decides about one row, which is locked. Returns false if the row's state does not allow the decision. */
type ApplyDecision = (tx: Transaction, row: AccessRow, hasConnector: boolean) => Promise<boolean>

export function createDecisions(context: DecisionContext, connector: ConnectorInterface, names: Names): Decisions {
  const { db, now, audit } = context

  async function decideRows(actor: Actor, ids: string[], decision: AccessDecision, applyDecision: ApplyDecision) {
    const changedRows = await db.transaction(async (tx) => {
      const served = await connector.servedProducts(tx)
      const rows: AccessRow[] = []
      for (const row of await lockRows(tx, ids)) {
        const isAllowed = await applyDecision(tx, row, served.has(row.productId))
        if (!isAllowed) continue
        rows.push(row)
        // Leaves the reason out of the audit log, because it may name the buyer.
        await audit.record(tx, actor, {
          action: `access.${decision}`,
          aboutId: row.userId,
          detail: { request: row.id },
        })
        await connector.requestSync(tx, row.userId)
      }
      return rows
    })
    if (changedRows.length > 0) return changedRows
    if ((await db.$count(access, inArray(access.id, ids))) === 0) throw notFound('Access')
    if (decision === 'undone')
      throw conflict('too-late', 'It’s too late to undo this: the buyer has been told. You can remove it instead.')
    throw alreadyHandled()
  }

  async function decide(...args: Parameters<typeof decideRows>) {
    return { changed: (await decideRows(...args)).length }
  }

  const stepOf = (event: AccessEvent, row: AccessRow, hasConnector: boolean) =>
    nextStep(event, factsOf(row, hasConnector, now()))

  return {
    grant: (actor, ids, byHand = false) =>
      decide(actor, ids, 'granted', (tx, row, hasConnector) =>
        unlock(tx, context, row, { actor, event: 'granted', hasConnector: hasConnector && !byHand }),
      ),

    restore: (actor, ids) =>
      decide(actor, ids, 'restored', (tx, row, hasConnector) =>
        unlock(tx, context, row, { actor, event: 'restored', hasConnector }),
      ),

    undo: (actor, ids) =>
      decide(actor, ids, 'undone', async (tx, row) => {
        const { undoTo, undoUntil } = row
        if (!undoTo || !undoUntil || undoUntil <= now()) return false
        const { state, ...previousFields } = undoTo
        await changeAccess(
          tx,
          context,
          row,
          { event: 'undone', to: state, byAdmin: actor.user.id },
          { ...previousFields, decidedBy: null },
        )
        return true
      }),

    decline: (actor, ids, reason, endsSubscription) =>
      decideRows(actor, ids, 'declined', async (tx, row, hasConnector) => {
        const step = stepOf('declined', row, hasConnector)
        if (!step) return false
        const byAdmin = actor.user.id
        // A buyer who asked to move to another account keeps the one that is unlocked.
        const keptUsername = step.to === 'unlocked' ? row.unlockedName : null
        if (keptUsername) await setTradingViewUsername(tx, row.userId, keptUsername)
        const changes: Partial<AccessRow> = keptUsername
          ? { username: keptUsername, nameKey: normalizeUsername(keptUsername), nameProblem: null, similar: [] }
          : { declinedBecause: reason }
        await changeAccess(
          tx,
          context,
          row,
          { event: 'declined', to: step.to, username: row.username, reason, byAdmin, mail: 'accessDeclined' },
          { ...changes, endRequestedAt: endsSubscription ? now() : null, decidedBy: byAdmin },
        )
        return true
      }),

    withhold: (actor, ids) =>
      decide(actor, ids, 'withheld', async (tx, row, hasConnector) => {
        const step = stepOf('withheld', row, hasConnector)
        if (!step) return false
        const byAdmin = actor.user.id
        // Without the connector, the seller has locked the username already.
        const unlockedName = hasConnector ? row.unlockedName : null
        await changeAccess(
          tx,
          context,
          row,
          { event: 'withheld', to: step.to, username: row.unlockedName, byAdmin, mail: 'accessWithheld' },
          { decidedBy: byAdmin, unlockedName },
        )
        return true
      }),

    lock: (actor, ids) =>
      decide(actor, ids, 'locked', async (tx, row, hasConnector) => {
        const isWithheldButUnlocked = row.state === 'withheld' && row.unlockedName !== null
        if (!isWithheldButUnlocked && !stepOf('closed', row, hasConnector)) return false
        await recordRowLocked(tx, context, row, { byAdmin: actor.user.id })
        return true
      }),

    ...createSubscriptionDecisions(context),

    async announce() {
      const due = await db.select({ id: access.id }).from(access).where(lte(access.undoUntil, now()))
      await runEach('announcements', due, ({ id }) => db.transaction((tx) => announce(tx, context, connector, id)))
    },

    rename: (actor, id, username) => db.transaction((tx) => rename(tx, context, names, { actor, id, username })),
  }
}

type UnlockInput = { actor: Actor; event: 'granted' | 'restored'; hasConnector: boolean }

/** Unlocks, or lets the connector unlock after the undo window. Returns false if the row's state does not allow it. */
async function unlock(
  tx: Transaction,
  context: DecisionContext,
  row: AccessRow,
  { actor, event, hasConnector }: UnlockInput,
): Promise<boolean> {
  const at = context.now()
  const step = nextStep(event, factsOf(row, hasConnector, at))
  if (!step) return false
  const { state, needsDecision, unlockedName } = row
  const changes: Partial<AccessRow> = {
    decidedBy: actor.user.id,
    undoUntil: new Date(at.getTime() + undoWindowMs),
    undoTo: { state, needsDecision, unlockedName },
  }
  if (step.to === 'unlocked') changes.unlockedName = row.username
  if (state === 'withheld') changes.askedAt = at
  await changeAccess(tx, context, row, { event, to: step.to, byAdmin: actor.user.id }, changes)
  return true
}

const alreadyHandled = () =>
  conflict('already-handled', 'This was already handled, or the subscription has ended. Please reload the list.')

function createSubscriptionDecisions({ db, audit }: Pick<Context, 'db' | 'audit'>) {
  const isRequestOf = (id: string) => and(eq(access.id, id), isEndRequested)

  return {
    async findEndRequest(id: string) {
      const [row] = await db.select().from(access).where(isRequestOf(id))
      if (!row) throw alreadyHandled()
      return row
    },

    async keepSubscription(actor: Actor, id: string) {
      await db.transaction(async (tx) => {
        const [row] = await tx.update(access).set({ endRequestedAt: null }).where(isRequestOf(id)).returning()
        if (!row) throw alreadyHandled()
        await audit.record(tx, actor, { action: 'access.kept', aboutId: row.userId, detail: { request: id } })
      })
    },
  }
}

/** Once the undo window is over, emails the buyer or lets the connector unlock. */
async function announce(
  tx: Transaction,
  context: Pick<Context, 'catalog' | 'mails' | 'now' | 'supportEmail'>,
  connector: ConnectorInterface,
  id: string,
) {
  const [row] = await lockRows(tx, [id])
  // The seller may have undone the decision in the meantime.
  if (!row?.undoUntil || row.undoUntil > context.now()) return
  const { state, unlockedName: username } = row
  if (state === 'unlocked') {
    await changeAccess(tx, context, row, { event: 'opened', to: state, username, mail: 'accessUnlocked' })
  } else {
    await tx.update(access).set({ undoUntil: null, undoTo: null }).where(eq(access.id, row.id))
  }
  await connector.requestSync(tx, row.userId)
}

type RenameInput = { actor: Actor; id: string; username: string }

/** Without the limits for buyers. */
async function rename(
  tx: Transaction,
  { audit }: Pick<Context, 'audit'>,
  names: Names,
  { actor, id, username }: RenameInput,
) {
  const [row] = await tx.select().from(access).where(eq(access.id, id))
  if (!row) throw notFound('Access')
  await names.setUsername(tx, {
    userId: row.userId,
    username,
    productId: row.productId,
    byAdmin: actor.user.id,
    field: 'username',
  })
  await audit.record(tx, actor, { action: 'tradingview.rename', subject: id, aboutId: row.userId })
}
