import { and, asc, eq, gt, inArray, isNotNull, sql } from 'drizzle-orm'
import type { AccessEvent, AccessState } from '#contract/statuses.ts'
import { normalizeUsername } from '#contract/tradingview-name.ts'
import type { Context } from '#server/context.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { lockPerson, personOf } from '#server/database/people.ts'
import { access, accessEvents, accessForms, orders, purchases, users } from '#server/database/schema.ts'
import type { AccessRow } from './rules.ts'

export type { AccessRow } from './rules.ts'

export type AccessKey = { userId: string; productId: string }

export type ChangeContext = Pick<Context, 'mails' | 'now' | 'supportEmail' | 'catalog'>

export type ConnectorInterface = {
  /** Ids of the products that have scripts, while the connector works. Empty otherwise. */
  servedProducts(tx?: Database | Transaction): Promise<ReadonlySet<string>>
  /** True if there is a connection, working or not. */
  isOn(tx?: Database | Transaction): Promise<boolean>
  requestSync(tx: Transaction, userId: string): Promise<void>
}

export type AccessChange = {
  event: AccessEvent
  to: AccessState
  username?: string | null
  reason?: string
  byAdmin?: string | null
  /** Email to the buyer. Deleted people get none. */
  mail?: 'accessUnlocked' | 'accessEnded' | 'accessWithheld' | 'accessDeclined'
}

/** Declined together with a subscription that still runs: support asked for its end, or the end failed. */
export const isEndRequested = and(isNotNull(access.endRequestedAt), isNotNull(access.reason))

export async function lockRow(tx: Transaction, { userId, productId }: AccessKey): Promise<AccessRow | undefined> {
  await lockPerson(tx, userId)
  const [row] = await tx
    .select()
    .from(access)
    .where(and(eq(access.userId, userId), eq(access.productId, productId)))
    .for('update')
  return row
}

/** Locks people first, then rows, both by id, so that overlapping selections don't deadlock. */
export async function lockRows(tx: Transaction, ids: string[]) {
  const userIds = tx.select({ id: access.userId }).from(access).where(inArray(access.id, ids))
  await tx
    .select({ id: users.id })
    .from(users)
    .where(inArray(users.id, userIds))
    .orderBy(asc(users.id))
    .for('no key update')
  return tx.select().from(access).where(inArray(access.id, ids)).orderBy(asc(access.id)).for('update')
}

/** The only function that changes a state. Ends the undo window unless `changes` sets it. The caller must hold the row's lock. */
export async function changeAccess(
  tx: Transaction,
  context: ChangeContext,
  row: AccessRow,
  { event, to, username, reason, byAdmin = null, mail }: AccessChange,
  changes: Partial<AccessRow> = {},
): Promise<AccessRow> {
  const at = context.now()
  const isSameState = to === row.state
  const changesOfNewState = isSameState ? {} : { stateSince: at, needsDecision: false }
  const clearedDecline = to === 'declined' ? {} : { declinedBecause: null, endRequestedAt: null }
  const [changed] = await tx
    .update(access)
    .set({
      state: to,
      undoUntil: null,
      undoTo: null,
      ...changesOfNewState,
      ...clearedDecline,
      ...changes,
      version: sql`${access.version} + 1`,
    })
    .where(eq(access.id, row.id))
    .returning()
  if (!changed) throw new Error(`There is no access ${row.id}`)

  const person = await personOf(tx, row.userId)
  const name = username ?? changed.username ?? ''
  const isUnlockedByConnector = mail === 'accessUnlocked' && row.state === 'unlocking'
  const isLockedByConnector = mail === 'accessEnded' && byAdmin === null
  const wasToldAlready =
    (isUnlockedByConnector && (await wasToldByReceipt(tx, { ...row, username: name }, at))) ||
    (isLockedByConnector && (await wasToldByEndEmail(tx, row, at)))
  const sendsMail = mail !== undefined && person.deletedAt === null && !wasToldAlready
  await tx
    .insert(accessEvents)
    .values({
      userId: row.userId,
      productId: row.productId,
      at,
      event,
      fromState: row.state,
      toState: to,
      username: person.deletedAt ? null : name,
      reason: person.deletedAt ? null : (reason ?? null),
      byAdmin,
      mail: sendsMail ? mail : null,
    })
  if (sendsMail)
    await context.mails.send(tx, person.email, mail, {
      name: person.name,
      product: (await context.catalog.findRow(row.productId, tx)).name,
      tradingViewUsername: name,
      reason: reason ?? '',
      staysUnlocked: to === 'unlocked' && changed.endRequestedAt === null,
    })

  // Asks the seller only about usernames that the buyer entered.
  if (to === 'asked' && byAdmin === null) await askSeller(tx, context, changed)
  const isWaiting = to === 'asked' || to === 'unlocking'
  const mayBeUndone = changed.undoUntil !== null
  // `announce` sends `opened` without another state when the undo window of an unlock is over.
  const isUndoWindowOver = isSameState && event === 'opened'
  const isDecisionFinal = !isWaiting && !mayBeUndone && (!isSameState || isUndoWindowOver)
  // The seller needs the exchange keys only for the decision.
  if (isDecisionFinal) await deleteKeys(tx, row.userId)
  return changed
}

/** Emails buyer and seller, once for each request. The buyer is promised an answer within a day. */
export async function askSeller(
  tx: Transaction,
  { mails, now, supportEmail, catalog }: ChangeContext,
  { id, userId, productId, username, askedAt }: AccessRow,
) {
  const { name, email, deletedAt } = await personOf(tx, userId)
  if (deletedAt) return
  const about = { name, tradingViewUsername: username ?? '' }
  const product = (await catalog.findRow(productId, tx)).name
  const occasion = `${id} ${askedAt?.toISOString()}`
  if (!(await wasToldByReceipt(tx, { userId, productId, username: username ?? '' }, now())))
    await mails.sendOnce(`received ${occasion}`, email, 'accessRequestReceived', about, tx)
  await mails.sendOnce(`asked ${occasion}`, supportEmail, 'accessRequested', { ...about, product, email }, tx)
}

const recentMailMs = 10 * 60_000

/** True if a receipt of the last 10 minutes already told the guest about this username. */
async function wasToldByReceipt(tx: Transaction, key: AccessKey & { username: string }, now: Date) {
  const since = new Date(now.getTime() - recentMailMs)
  const { handedOverAt } = await personOf(tx, key.userId)
  const isJustHandedOver = handedOverAt !== null && handedOverAt >= since
  const hasReceiptWithUsername = and(
    eq(orders.userId, key.userId),
    eq(orders.productId, key.productId),
    // Receipts name the username if the order made an account, or handed an existing one over to the buyer.
    isJustHandedOver ? undefined : eq(orders.madeAccount, true),
    sql`lower(${orders.tradingViewUsername}) = ${normalizeUsername(key.username)}`,
    gt(orders.closedAt, since),
  )
  return (await tx.$count(orders, hasReceiptWithUsername)) > 0
}

/** True if the email about the end of the subscription already told the buyer in the last 10 minutes. */
async function wasToldByEndEmail(tx: Transaction, key: AccessKey, now: Date) {
  const hasJustEnded = and(
    eq(purchases.userId, key.userId),
    eq(purchases.productId, key.productId),
    gt(purchases.endedAt, new Date(now.getTime() - recentMailMs)),
  )
  return (await tx.$count(purchases, hasJustEnded)) > 0
}

async function deleteKeys(tx: Transaction, userId: string) {
  await tx
    .update(accessForms)
    .set({ sealedKeys: null })
    .where(
      and(
        eq(accessForms.userId, userId),
        sql`${accessForms.sealedKeys} is not null`,
        // The buyer may still wait for another product.
        sql`not exists (select from access where user_id = ${userId} and state in ('asked', 'unlocking'))`,
      ),
    )
}
