import { randomUUID } from 'node:crypto'
import { and, desc, eq } from 'drizzle-orm'
import type { AccessRequestInput, access as calls } from '#contract/access/access.ts'
import { promisedBy } from '#contract/access/promise.ts'
import type { RawOutputOf } from '#contract/endpoint.ts'
import { isLive } from '#contract/statuses.ts'
import { normalizeUsername } from '#contract/tradingview-name.ts'
import type { Actor, AssertFresh } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import type { Transaction } from '#server/database/connect.ts'
import { lockPerson } from '#server/database/people.ts'
import { access, isLivePurchase, orders, purchases, users } from '#server/database/schema.ts'
import { conflict, notFound } from '#server/errors.ts'
import { assertCompleteForm, storeForm } from './forms.ts'
import type { Names } from './names.ts'
import type { AccessRow, ConnectorInterface } from './rows.ts'

type BuyerAccessContext = Pick<Context, 'catalog' | 'db' | 'now' | 'secrets' | 'settings'>

export type BuyerAccess = {
  /**
   * Stores the form, and asks for access with its username. Access does not change if the same username is unlocked
   * already. `beforeMove` asks for a recent proof of identity before access moves to another TradingView account.
   */
  submit(actor: Actor, purchaseRef: PurchaseRef, form: AccessRequestInput, beforeMove: AssertFresh): Promise<void>
  /** Moves access to another TradingView account. The new username is unlocked before the old one is locked. */
  changeUsername(actor: Actor, purchaseId: string, username: string, beforeMove: AssertFresh): Promise<void>
  /** Asks TradingView again about a username that it did not find. */
  recheck(actor: Actor, purchaseId: string): Promise<void>
  mine(userId: string): Promise<RawOutputOf<typeof calls.mine>>
}

type PurchaseRef = { purchaseId: string } | { paymentIntentId: string }

export function createBuyerAccess(
  context: BuyerAccessContext,
  connector: ConnectorInterface,
  names: Names,
): BuyerAccess {
  const { db, settings, catalog } = context

  return {
    async submit({ user }, purchaseRef, form, beforeMove) {
      if (settings.current.askExchangeKeys) assertCompleteForm(form)
      await db.transaction(async (tx) => {
        const { id: purchaseId, productId } = await lockLivePurchase(tx, user.id, purchaseRef)
        await storeForm(tx, context, { id: randomUUID(), userId: user.id, purchaseId }, form)
        const { tradingViewUsername: username } = form
        await names.setUsername(tx, {
          userId: user.id,
          username,
          productId,
          byAdmin: null,
          field: 'tradingViewUsername',
          beforeMove,
        })
      })
    },

    changeUsername: ({ user }, purchaseId, username, beforeMove) =>
      db.transaction(async (tx) => {
        const { productId } = await lockLivePurchase(tx, user.id, { purchaseId })
        await names.setUsername(tx, {
          userId: user.id,
          username,
          productId,
          byAdmin: null,
          field: 'username',
          beforeMove,
        })
      }),

    recheck: ({ user }, purchaseId) =>
      db.transaction(async (tx) => {
        await lockLivePurchase(tx, user.id, { purchaseId })
        await names.recheck(tx, user.id)
      }),

    async mine(userId) {
      const livePurchases = await db
        .select({
          purchaseId: purchases.id,
          productId: purchases.productId,
          profileName: users.tradingViewUsername,
          orderedName: orders.tradingViewUsername,
          row: access,
        })
        .from(purchases)
        .innerJoin(users, eq(users.id, purchases.userId))
        .leftJoin(orders, eq(orders.paymentIntentId, purchases.paymentIntentId))
        .leftJoin(access, and(eq(access.userId, purchases.userId), eq(access.productId, purchases.productId)))
        .where(and(eq(purchases.userId, userId), isLivePurchase))
        .orderBy(desc(purchases.createdAt), desc(purchases.id))
      if (livePurchases.length === 0) return []
      const mayChangeFrom = await names.mayChangeFrom(userId)
      const served = await connector.servedProducts()
      const accessOfPurchases = livePurchases.map(async ({ purchaseId, productId, profileName, orderedName, row }) => {
        const isWaiting = row?.state === 'asked' || row?.state === 'unlocking'
        const unlockedName = row?.unlockedName
        const isMove = unlockedName && isWaiting && normalizeUsername(unlockedName) !== row.nameKey
        return {
          purchaseId,
          productId,
          product: (await catalog.findRow(productId)).slug,
          // Without a request, suggests the username typed at the checkout, for the buyer to confirm.
          username: row?.username ?? orderedName ?? profileName,
          state: row?.state ?? ('none' as const),
          problem: row?.nameProblem ?? null,
          similar: row?.similar ?? [],
          until: row?.until ?? null,
          reason: row?.reason ?? null,
          promisedBy: isWaiting && row.askedAt ? promisedBy(row.askedAt) : null,
          declinedBecause: row?.declinedBecause ?? null,
          mayChangeFrom: unlockedName ? mayChangeFrom : null,
          oldUsername: isMove ? unlockedName : null,
          secondsToUnlock: row && secondsToUnlockOf(row),
          unlocksItself: served.has(productId),
        }
      })
      return Promise.all(accessOfPurchases)
    },
  }
}

function secondsToUnlockOf({ state, stateSince, askedAt }: AccessRow): number | null {
  if (state !== 'unlocked' || !askedAt) return null
  const seconds = Math.round((stateSince.getTime() - askedAt.getTime()) / 1000)
  return Math.max(1, seconds)
}

async function lockLivePurchase(tx: Transaction, userId: string, purchaseRef: PurchaseRef) {
  await lockPerson(tx, userId)
  const isReferred =
    'purchaseId' in purchaseRef
      ? eq(purchases.id, purchaseRef.purchaseId)
      : eq(purchases.paymentIntentId, purchaseRef.paymentIntentId)
  const [purchase] = await tx
    .select({ id: purchases.id, productId: purchases.productId, status: purchases.status })
    .from(purchases)
    .where(and(eq(purchases.userId, userId), isReferred))
    .for('no key update')
  if (!purchase) throw notFound('Purchase')
  if (!isLive(purchase.status))
    throw conflict('subscription-ended', 'This subscription has ended. Please subscribe again to get access.')
  return purchase
}
