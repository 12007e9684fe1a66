import { and, eq, gt, inArray, isNotNull, lte, type SQL, sql } from 'drizzle-orm'
import type { AccessRequestStatus } from '#contract/statuses.ts'
import type { Actor } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { isLivePurchase } from '#server/database/live-purchase.ts'
import { accessRequests, purchases, users } from '#server/database/schema.ts'
import { conflict, notFound } from '#server/errors.ts'
import type { Entitlements } from '../entitlements/entitlements.ts'
import { replaceOlderGrants } from './events.ts'
import { hasWaitedForConnector, isGranted, isOpen, isRestorable, isUndecided } from './lists.ts'

type Others = {
  entitlements: Pick<Entitlements, 'withhold'>
  requestSync(tx: Transaction, userId: string): Promise<void>
}

/** How long a grant by hand can be undone. Only then is the buyer told, and only then are the keys deleted. */
const undoMilliseconds = 60_000

/** What admins decide about the requests. */
export function createDecisions({ db, now, mails, audit }: Context, { entitlements, requestSync }: Others) {
  /** Updates the named requests that are still in the expected state, and notifies their buyers. */
  async function decide(
    actor: Actor,
    ids: string[],
    decision: {
      from: SQL | undefined
      to: Exclude<AccessRequestStatus, 'requested'>
      mail?: 'accessRefused' | 'accessRevoked'
      reason?: string
    },
  ) {
    const { from, to, mail, reason } = decision
    const rows = await db.transaction(async (tx) => {
      const chosen = await expected(tx, ids, from)
      const chosenIds = chosen.map(({ id }) => id)
      await tx
        .update(accessRequests)
        .set({
          status: to,
          reason: reason ?? null,
          decidedAt: now(),
          decidedBy: actor.user.id,
          ...(to === 'granted'
            ? { announceAt: new Date(now().getTime() + undoMilliseconds), endedAt: null }
            : { sealedKeys: null }),
        })
        .where(inArray(accessRequests.id, chosenIds))
      for (const request of chosen) {
        const { id, userId, email, name, tradingViewUsername, personIsGone, isPaid, productId } = request
        await audit.record(tx, actor, {
          action: `access.${to}`,
          aboutId: userId,
          // The reason stays with the request: it may name the buyer.
          detail: { request: id },
        })
        // Revoked while it is paid for means withheld, until it is granted again.
        if (isPaid && productId && to !== 'refused')
          await entitlements.withhold(tx, userId, productId, to === 'revoked')
        if (to === 'granted') await requestSync(tx, userId)
        else if (mail && !personIsGone)
          await mails.send(tx, email, mail, { name, tradingViewUsername, reason: reason ?? '' })
        // A deleted person's username was kept only so it could be revoked.
        else if (to === 'revoked')
          await tx.update(accessRequests).set({ tradingViewUsername: '' }).where(eq(accessRequests.id, id))
      }
      return chosen
    })
    if (rows.length > 0) return { changed: rows.length }
    const known = await db.$count(accessRequests, inArray(accessRequests.id, ids))
    if (known === 0) throw notFound('Access request')
    throw conflict(
      'already-handled',
      'This request was already handled, or the subscription has ended. Please reload the list.',
    )
  }

  return {
    grant: (actor: Actor, ids: string[]) => decide(actor, ids, { from: isOpen, to: 'granted' }),

    /** Takes a grant back before the buyer is told of it. */
    async undo(actor: Actor, ids: string[]) {
      await db.transaction(async (tx) => {
        const undone = await tx
          .update(accessRequests)
          .set({ status: 'requested', decidedAt: null, decidedBy: null, announceAt: null })
          .where(
            and(
              inArray(accessRequests.id, ids),
              isGranted,
              gt(accessRequests.announceAt, now()),
              // The buyer has asked again in the meantime.
              sql`not exists (select from access_requests newer where newer.purchase_id = ${accessRequests.purchaseId} and newer.status = 'requested')`,
            ),
          )
          .returning({ id: accessRequests.id, userId: accessRequests.userId })
        if (undone.length === 0)
          throw conflict(
            'too-late',
            'It’s too late to undo this: the buyer has been told. You can revoke it instead.',
          )
        for (const { id, userId } of undone) {
          await audit.record(tx, actor, { action: 'access.undone', aboutId: userId, detail: { request: id } })
          await requestSync(tx, userId)
        }
      })
    },

    /** Tells the buyers whose grant can no longer be undone. */
    announce: () =>
      db.transaction(async (tx) => {
        const due = await tx
          .update(accessRequests)
          .set({ announceAt: null, sealedKeys: null })
          .where(and(isGranted, lte(accessRequests.announceAt, now())))
          .returning({ id: accessRequests.id })
        const ids = due.map(({ id }) => id)
        if (ids.length === 0) return
        await replaceOlderGrants(tx, ids, now())
        for (const { email, name, tradingViewUsername, personIsGone } of await expected(tx, ids, undefined))
          if (!personIsGone) await mails.send(tx, email, 'accessGranted', { name, tradingViewUsername })
      }),

    decline: (actor: Actor, ids: string[], reason: string) =>
      decide(actor, ids, { from: isUndecided, to: 'refused', mail: 'accessRefused', reason }),

    revoke: (actor: Actor, ids: string[]) =>
      decide(actor, ids, { from: isGranted, to: 'revoked', mail: 'accessRevoked' }),

    restore: (actor: Actor, ids: string[]) => decide(actor, ids, { from: isRestorable, to: 'granted' }),
  }
}

/** Always locked in the same order, so two admins with overlapping selections can't deadlock. */
function expected(tx: Transaction, ids: string[], condition: SQL | undefined) {
  return tx
    .select({
      id: accessRequests.id,
      userId: accessRequests.userId,
      tradingViewUsername: accessRequests.tradingViewUsername,
      email: users.email,
      name: users.name,
      personIsGone: sql<boolean>`${isNotNull(users.deletedAt)}`,
      isPaid: sql<boolean>`coalesce(${isLivePurchase}, false)`,
      productId: purchases.productId,
    })
    .from(accessRequests)
    .innerJoin(users, eq(users.id, accessRequests.userId))
    .leftJoin(purchases, eq(purchases.id, accessRequests.purchaseId))
    .where(and(inArray(accessRequests.id, ids), condition))
    .orderBy(accessRequests.id)
    .for('update', { of: accessRequests })
}

/** The buyer is promised an answer within a day, and the seller is asked for it; each once. */
export async function askSeller(
  tx: Transaction | Database,
  { mails, supportEmail }: Context,
  { id, name, email, tradingViewUsername }: Record<'id' | 'name' | 'email' | 'tradingViewUsername', string>,
) {
  const received = { name, tradingViewUsername }
  const requested = { ...received, email }
  await mails.sendOnce(`received ${id}`, email, 'accessRequestReceived', received, tx)
  await mails.sendOnce(`request ${id}`, supportEmail, 'accessRequested', requested, tx)
}

const day = 86_400_000

/** What the connector has not unlocked within ten minutes is promised and done by hand, as without one. */
export async function askSellerForWaiting(context: Context) {
  const { db, now } = context
  const isRecent = gt(accessRequests.submittedAt, new Date(now().getTime() - day))
  const waiting = await db
    .select({
      id: accessRequests.id,
      tradingViewUsername: accessRequests.tradingViewUsername,
      name: users.name,
      email: users.email,
    })
    .from(accessRequests)
    .innerJoin(purchases, eq(purchases.id, accessRequests.purchaseId))
    .innerJoin(users, eq(users.id, accessRequests.userId))
    .where(and(isOpen, hasWaitedForConnector(now()), isRecent))
  for (const request of waiting) await askSeller(db, context, request)
}
