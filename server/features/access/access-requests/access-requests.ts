import { randomUUID } from 'node:crypto'
import { and, desc, eq, isNotNull } from 'drizzle-orm'
import { accessRequestForm, promisedBy, type SentAccessRequest } from '#contract/access/access-requests.ts'
import { isLive } from '#contract/statuses.ts'
import * as z from '#contract/zod.ts'
import type { Actor } from '#server/actor.ts'
import type { Audit } from '#server/audit/audit.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { accessRequests, purchases } from '#server/database/schema.ts'
import { conflict, notFound, Refusal } from '#server/errors.ts'
import type { Accounts } from '#server/features/identity/accounts/accounts.ts'
import type { Mails } from '#server/mails/mails.ts'
import type { Secrets } from '#server/security/secrets.ts'
import type { Entitlements } from '../entitlements/entitlements.ts'
import { createAdminLists } from './admin-lists.ts'
import { createByHand } from './by-hand.ts'
import type { Connector } from './connector.ts'
import { createDecisions } from './decisions.ts'
import { purgeKeys, revealKeys, sealKeys } from './keys.ts'
import { createPersonalData } from './personal-data.ts'
import { shownColumns } from './shown-columns.ts'

export { resealKeys, sealKeys } from './keys.ts'
export { connectorPatience, isOverdue, openRequests } from './open.ts'
export { namesGrantedByHand, recordLocked, recordUnlocked } from './unlocked.ts'
export { carryAccessOver, endAccess } from './unpaid.ts'

type Dependencies = {
  db: Database
  now: () => Date
  mails: Mails
  secrets: Secrets
  audit: Audit
  accounts: Pick<Accounts, 'setTradingViewUsername'>
  entitlements: Pick<Entitlements, 'claim' | 'claimable' | 'withhold'>
  connector: Connector
  supportEmail: string
  /** Whether a request must name the exchange and its keys. */
  askExchangeKeys: boolean
}

/** A purchase, by its id or by its first payment. */
type Which = { purchaseId: string } | { paymentIntentId: string }

/** TradingView usernames are case-insensitive. */
const isSameName = (a: string, b: string) => a.toLowerCase() === b.toLowerCase()

export type AccessRequests = ReturnType<typeof createAccessRequests>

/** Buyers request access on TradingView; the seller grants it there by hand and records it here. */
export function createAccessRequests(deps: Dependencies) {
  const { db, now, secrets, accounts, entitlements, connector, askExchangeKeys } = deps
  const byHand = createByHand(deps)

  return {
    ...createAdminLists(deps),
    ...createDecisions(deps),
    ...createPersonalData(deps),
    reveal: (actor: Actor, id: string) => revealKeys(deps, actor, id),
    purgeKeys: () => purgeKeys({ db, now }),
    handOver: byHand.handOver,

    /** Replaces an open request, so the queue lists each purchase once. */
    async submit({ user }: Actor, which: Which, sent: SentAccessRequest) {
      if (askExchangeKeys) insistOnKeys(sent)
      const { apiKey, secretKey, exchangeName = '', ...form } = sent
      const { name, email } = user
      await db.transaction(async (tx) => {
        const { id: purchaseId, productId } = await lockLivePurchase(tx, user.id, which)
        // With a connector, a name that can't work is refused right away; without one, the seller looks at it.
        const typed = form.tradingViewUsername
        const tradingViewUsername = (await connector.isWorking(tx))
          ? await entitlements.claimable(tx, { userId: user.id, productId }, typed, 'tradingViewUsername')
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
        await accounts.setTradingViewUsername(tx, user.id, tradingViewUsername)
        await entitlements.claim(tx, user.id, productId, tradingViewUsername)

        // What unlocks itself in seconds needs no email that promises 24 hours.
        if (await connector.isWorking(tx)) return
        if (undecided && isSameName(undecided.tradingViewUsername, tradingViewUsername)) return
        await byHand.notify(tx, { id, name, email, tradingViewUsername })
      })
    },

    /**
     * A name alone, given at the checkout or corrected later: unlocked by itself, or else by hand from the same queue.
     */
    async claim(
      tx: Transaction,
      given: {
        userId: string
        purchaseId: string
        productId: string
        username: string
        /** The admin who says that it is unlocked already. */
        grantedBy?: string
      },
    ) {
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
      await accounts.setTradingViewUsername(tx, userId, username)
      await entitlements.claim(tx, userId, productId, username)
    },

    /** The latest request for each purchase. */
    async list(userId: string) {
      const rows = await db
        .selectDistinctOn([accessRequests.purchaseId], shownColumns)
        .from(accessRequests)
        .where(and(eq(accessRequests.userId, userId), isNotNull(accessRequests.purchaseId)))
        .orderBy(accessRequests.purchaseId, desc(accessRequests.submittedAt))
      return rows.map((row) => ({ ...row, promisedBy: promisedBy(row.submittedAt) }))
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
