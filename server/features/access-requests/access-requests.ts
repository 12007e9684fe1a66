import { randomUUID } from 'node:crypto'
import { and, desc, eq, isNotNull } from 'drizzle-orm'
import { type accessRequestForm, promisedBy } from '#contract/access-requests.ts'
import { isLive } from '#contract/purchases.ts'
import type { InferOutput } from '#contract/schema.ts'
import type { Database, Transaction } from '../../database/connect.ts'
import { accessRequests, purchases, users } from '../../database/schema.ts'
import { conflict, notFound } from '../../errors.ts'
import type { Secrets } from '../../security/secrets.ts'
import type { Audit } from '../audit/audit.ts'
import type { Mails } from '../mails/mails.ts'
import { createDecisions } from './decisions.ts'
import { purgeKeys, sealKeys } from './keys.ts'

export { resealKeys, sealKeys } from './keys.ts'
export { accessEnds } from './unpaid.ts'

type Dependencies = {
  db: Database
  now: () => Date
  mails: Mails
  secrets: Secrets
  audit: Audit
  supportEmail: string
}

type Form = InferOutput<typeof accessRequestForm>
/** A purchase, by its own id or by the payment that began it. */
type Which = { purchaseId: string } | { paymentIntentId: string }

/** TradingView does not tell upper from lower case in usernames. */
const isSameName = (a: string, b: string) => a.toLowerCase() === b.toLowerCase()

export type AccessRequests = ReturnType<typeof createAccessRequests>

/** A buyer asks for access on TradingView; the seller grants it there by hand and says so here. */
export function createAccessRequests(deps: Dependencies) {
  const { db, now, mails, secrets, supportEmail } = deps

  return {
    ...createDecisions(deps),
    purgeKeys: () => purgeKeys({ db, now }),

    /** An open request is replaced, so that the queue holds each purchase once. */
    async submit(userId: string, which: Which, { apiKey, secretKey, ...form }: Form) {
      await db.transaction(async (tx) => {
        const [purchase] = await tx
          .select({ id: purchases.id, status: purchases.status, email: users.email, name: users.name })
          .from(purchases)
          .innerJoin(users, eq(users.id, purchases.userId))
          .where(
            and(
              eq(purchases.userId, userId),
              'purchaseId' in which
                ? eq(purchases.id, which.purchaseId)
                : eq(purchases.paymentIntentId, which.paymentIntentId),
            ),
          )
          .for('no key update', { of: purchases })
        if (!purchase) throw notFound('Purchase')
        if (!isLive(purchase.status))
          throw conflict('This subscription has ended. Please subscribe again to get access.')

        const { open, granted } = await requestsOf(tx, purchase.id)
        if (granted && isSameName(granted.tradingViewUsername, form.tradingViewUsername))
          throw conflict(`Access is already granted to ${granted.tradingViewUsername} on TradingView.`)

        // A new id, so that an admin who still sees the old username cannot grant the new one by mistake.
        if (open) await tx.delete(accessRequests).where(eq(accessRequests.id, open.id))
        const id = randomUUID()
        await tx.insert(accessRequests).values({
          ...form,
          id,
          userId,
          purchaseId: purchase.id,
          additionalInfo: form.additionalInfo || null,
          sealedKeys: sealKeys(secrets, { apiKey, secretKey }, id),
          submittedAt: now(),
        })
        await tx
          .update(users)
          .set({ tradingViewUsername: form.tradingViewUsername })
          .where(eq(users.id, userId))

        if (open && isSameName(open.tradingViewUsername, form.tradingViewUsername)) return
        const { name, email } = purchase
        const { tradingViewUsername } = form
        await mails.send(tx, email, 'accessRequestReceived', { name, tradingViewUsername })
        await mails.send(tx, supportEmail, 'accessRequested', { name, email, tradingViewUsername })
      })
    },

    /** The latest request of each purchase. */
    async list(userId: string) {
      const rows = await db
        .selectDistinctOn([accessRequests.purchaseId])
        .from(accessRequests)
        .where(and(eq(accessRequests.userId, userId), isNotNull(accessRequests.purchaseId)))
        .orderBy(accessRequests.purchaseId, desc(accessRequests.submittedAt))
      return rows.map(forBuyer)
    },
  }
}

function forBuyer(row: typeof accessRequests.$inferSelect) {
  const { sealedKeys: _keys, userId: _owner, decidedBy: _admin, endedAt: _ended, ...shown } = row
  return { ...shown, promisedBy: promisedBy(row.submittedAt) }
}

async function requestsOf(tx: Transaction, purchaseId: string) {
  const rows = await tx
    .select({
      id: accessRequests.id,
      status: accessRequests.status,
      tradingViewUsername: accessRequests.tradingViewUsername,
    })
    .from(accessRequests)
    .where(eq(accessRequests.purchaseId, purchaseId))
    .orderBy(desc(accessRequests.submittedAt))
    .for('update')
  return {
    open: rows.find(({ status }) => status === 'requested'),
    granted: rows.find(({ status }) => status === 'granted'),
  }
}
