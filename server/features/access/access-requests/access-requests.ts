import { randomUUID } from 'node:crypto'
import { and, desc, eq, ne } from 'drizzle-orm'
import { accessRequestForm, type SentAccessRequest } from '#contract/access/access-requests.ts'
import { isLive } from '#contract/statuses.ts'
import * as z from '#contract/zod.ts'
import type { Actor } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import type { HistoryPart } from '#server/database/cursor.ts'
import { accessRequests, purchases } from '#server/database/schema.ts'
import { conflict, notFound, Refusal } from '#server/errors.ts'
import type { Accounts } from '#server/features/identity/accounts/accounts.ts'
import type { Entitlements } from '../entitlements/entitlements.ts'
import { askSeller, askSellerForWaiting, createDecisions } from './decisions.ts'
import { purgeKeys, revealKeys, sealKeys } from './keys.ts'
import { createLists, listOf } from './lists.ts'

export { carryAccessOver, endAccess, namesGrantedByHand, recordLocked, recordUnlocked } from './events.ts'
export { resealKeys, sealKeys } from './keys.ts'
export { connectorPatience, isOverdue, openRequests } from './lists.ts'

type Others = {
  accounts: Pick<Accounts, 'profile'>
  entitlements: Pick<Entitlements, 'usernames' | 'withhold'>
  /** Unlocks and locks by itself while it is on. */
  connector: {
    isOn(): Promise<boolean>
    isWorking(tx?: Database | Transaction): Promise<boolean>
    requestSync(tx: Transaction, userId: string): Promise<void>
  }
}

/** A purchase, by its id or by its first payment. */
type Which = { purchaseId: string } | { paymentIntentId: string }

type GivenName = {
  userId: string
  purchaseId: string
  productId: string
  username: string
  /** The admin who says that it is unlocked already. */
  grantedBy?: string
}

/** TradingView usernames are case-insensitive. */
const isSameName = (a: string, b: string) => a.toLowerCase() === b.toLowerCase()

export type AccessRequests = ReturnType<typeof createAccessRequests>

/** Buyers ask for access on TradingView; the connector grants it, or the seller does by hand and records it here. */
export function createAccessRequests(context: Context, { accounts, entitlements, connector }: Others) {
  const { db, now, secrets, config } = context
  const { usernames } = entitlements

  return {
    lists: createLists(context, connector),
    decisions: createDecisions(context, { entitlements, requestSync: connector.requestSync }),
    revealKeys: (actor: Actor, id: string) => revealKeys(context, actor, id),
    purgeKeys: () => purgeKeys(context),
    list: (userId: string) => listOf(db, userId),

    /** Replaces an open request, so the queue lists each purchase once. */
    async submit({ user }: Actor, which: Which, sent: SentAccessRequest) {
      if (config.askExchangeKeys) insistOnKeys(sent)
      const { apiKey, secretKey, exchangeName = '', ...form } = sent
      const { name, email } = user
      await db.transaction(async (tx) => {
        const { id: purchaseId, productId } = await lockLivePurchase(tx, user.id, which)
        // With the connector, a name that can't work is refused right away; without it, the seller looks at it.
        const typed = form.tradingViewUsername
        const tradingViewUsername = (await connector.isWorking(tx))
          ? await usernames.requireAvailable(tx, { userId: user.id, productId }, typed, 'tradingViewUsername')
          : typed
        const { undecided, granted } = await requestsOf(tx, purchaseId)
        if (granted && isSameName(granted.tradingViewUsername, tradingViewUsername))
          throw conflict(
            'already-granted',
            `Access is already granted to ${granted.tradingViewUsername} on TradingView.`,
          )

        // A new id, so an admin still looking at the old username can't grant the new one by mistake.
        if (undecided) await tx.delete(accessRequests).where(eq(accessRequests.id, undecided.id))
        const id = randomUUID()
        await tx.insert(accessRequests).values({
          ...form,
          exchangeName,
          tradingViewUsername,
          id,
          userId: user.id,
          purchaseId,
          additionalInfo: form.additionalInfo || null,
          sealedKeys: apiKey && secretKey ? sealKeys(secrets, { apiKey, secretKey }, id) : null,
          submittedAt: now(),
        })
        await accounts.profile.setTradingViewUsername(tx, user.id, tradingViewUsername)
        await usernames.set(tx, user.id, productId, tradingViewUsername)

        // What unlocks itself in seconds needs no email that promises 24 hours.
        if (await connector.isWorking(tx)) return
        if (undecided && isSameName(undecided.tradingViewUsername, tradingViewUsername)) return
        await askSeller(tx, context, { id, name, email, tradingViewUsername })
      })
    },

    /** A name alone, given at the checkout or corrected later: unlocked by itself, or else by hand from the same queue. */
    async recordUsername(tx: Transaction, given: GivenName) {
      const { userId, purchaseId, productId, username, grantedBy } = given
      const { undecided, granted } = await requestsOf(tx, purchaseId)
      if (!granted || !isSameName(granted.tradingViewUsername, username)) {
        if (undecided) await tx.delete(accessRequests).where(eq(accessRequests.id, undecided.id))
        await tx.insert(accessRequests).values({
          userId,
          purchaseId,
          exchangeName: undecided?.exchangeName ?? '',
          tradingViewUsername: username,
          submittedAt: now(),
          ...(grantedBy ? { status: 'granted' as const, decidedAt: now(), decidedBy: grantedBy } : {}),
        })
      }
      await accounts.profile.setTradingViewUsername(tx, userId, username)
      await usernames.set(tx, userId, productId, username)
    },

    async askSellerForWaiting() {
      if (await connector.isOn()) await askSellerForWaiting(context)
    },

    async forget(tx: Transaction, userId: string) {
      await tx
        .update(accessRequests)
        .set({ exchangeName: '', additionalInfo: null, reason: null, sealedKeys: null })
        .where(eq(accessRequests.userId, userId))
      // Granted access must still be revoked on TradingView, and the username is all we need for that.
      await tx
        .update(accessRequests)
        .set({ tradingViewUsername: '' })
        .where(and(eq(accessRequests.userId, userId), ne(accessRequests.status, 'granted')))
    },

    /** What was asked and decided, for a customer's timeline. One person has few requests. */
    async historyOf(userId: string, { before, limit }: HistoryPart) {
      const requests = await db
        .select()
        .from(accessRequests)
        .where(eq(accessRequests.userId, userId))
        .orderBy(desc(accessRequests.submittedAt))
        .limit(limit)
      return requests
        .flatMap((request) => [
          entry(request, 'asked', request.submittedAt, 'Asked for access'),
          ...(request.decidedAt && request.status !== 'requested'
            ? [entry(request, 'decided', request.decidedAt, `Access ${request.status}`)]
            : []),
          ...(request.endedAt ? [entry(request, 'ended', request.endedAt, 'Access to be revoked')] : []),
        ])
        .filter(({ at }) => at <= before)
    },

    async dataOf(userId: string) {
      const requests = await db
        .select({
          purchaseId: accessRequests.purchaseId,
          exchangeName: accessRequests.exchangeName,
          tradingViewUsername: accessRequests.tradingViewUsername,
          additionalInfo: accessRequests.additionalInfo,
          status: accessRequests.status,
          submittedAt: accessRequests.submittedAt,
          decidedAt: accessRequests.decidedAt,
        })
        .from(accessRequests)
        .where(eq(accessRequests.userId, userId))
        .orderBy(desc(accessRequests.submittedAt))
      return { accessRequests: requests }
    },
  }
}

function insistOnKeys(sent: SentAccessRequest) {
  const { error } = z.safeParse(accessRequestForm(z), sent)
  const [issue] = error?.issues ?? []
  if (issue)
    throw new Refusal(400, 'invalid-input', issue.message, {
      fields: { [String(issue.path[0])]: issue.message },
    })
}

async function lockLivePurchase(tx: Transaction, userId: string, which: Which) {
  const [purchase] = await tx
    .select({ id: purchases.id, productId: purchases.productId, status: purchases.status })
    .from(purchases)
    .where(
      and(
        eq(purchases.userId, userId),
        'purchaseId' in which
          ? eq(purchases.id, which.purchaseId)
          : eq(purchases.paymentIntentId, which.paymentIntentId),
      ),
    )
    .for('no key update')
  if (!purchase) throw notFound('Purchase')
  if (!isLive(purchase.status))
    throw conflict('subscription-ended', 'This subscription has ended. Please subscribe again to get access.')
  return purchase
}

async function requestsOf(tx: Transaction, purchaseId: string) {
  const rows = await tx
    .select({
      id: accessRequests.id,
      status: accessRequests.status,
      exchangeName: accessRequests.exchangeName,
      tradingViewUsername: accessRequests.tradingViewUsername,
    })
    .from(accessRequests)
    .where(eq(accessRequests.purchaseId, purchaseId))
    .orderBy(desc(accessRequests.submittedAt))
    .for('update')
  return {
    undecided: rows.find(({ status }) => status === 'requested'),
    granted: rows.find(({ status }) => status === 'granted'),
  }
}

const entry = (
  { id, tradingViewUsername, reason }: typeof accessRequests.$inferSelect,
  step: string,
  at: Date,
  what: string,
) => ({
  key: `${id}-${step}`,
  at,
  what,
  username: tradingViewUsername,
  reason: step === 'decided' ? reason : null,
})
