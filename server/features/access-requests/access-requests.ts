import { randomUUID } from 'node:crypto'
import { and, desc, eq, isNotNull } from 'drizzle-orm'
import { accessRequestForm, promisedBy, type SentAccessRequest } from '#contract/access-requests.ts'
import { isLive } from '#contract/statuses.ts'
import * as z from '#contract/zod.ts'
import type { Actor } from '../../actor.ts'
import type { Database, Transaction } from '../../database/connect.ts'
import { accessRequests, purchases } from '../../database/schema.ts'
import { conflict, notFound, Refusal } from '../../errors.ts'
import type { Secrets } from '../../security/secrets.ts'
import type { Accounts } from '../accounts/accounts.ts'
import type { Audit } from '../audit/audit.ts'
import type { Mails } from '../mails/mails.ts'
import { createDecisions } from './decisions.ts'
import { purgeKeys, sealKeys } from './keys.ts'
import { createPersonalData } from './personal-data.ts'
import { shownColumns } from './shown-columns.ts'

export { resealKeys, sealKeys } from './keys.ts'
export { openRequests } from './open.ts'
export { endAccess } from './unpaid.ts'

type Dependencies = {
  db: Database
  now: () => Date
  mails: Mails
  secrets: Secrets
  audit: Audit
  accounts: Pick<Accounts, 'setTradingViewUsername'>
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
  const { db, now, mails, secrets, accounts, supportEmail, askExchangeKeys } = deps

  return {
    ...createDecisions(deps),
    ...createPersonalData(deps),
    purgeKeys: () => purgeKeys({ db, now }),

    /** Replaces an open request, so the queue lists each purchase once. */
    async submit({ user }: Actor, which: Which, sent: SentAccessRequest) {
      if (askExchangeKeys) insistOnKeys(sent)
      const { apiKey, secretKey, exchangeName = '', ...form } = sent
      const { name, email } = user
      const { tradingViewUsername } = form
      await db.transaction(async (tx) => {
        const purchaseId = await lockLivePurchase(tx, user.id, which)
        const { undecided, granted } = await requestsOf(tx, purchaseId)
        if (granted && isSameName(granted.tradingViewUsername, tradingViewUsername))
          throw conflict(`Access is already granted to ${granted.tradingViewUsername} on TradingView.`)

        // A new id, so an admin still looking at the old username can't grant the new one by mistake.
        if (undecided) await tx.delete(accessRequests).where(eq(accessRequests.id, undecided.id))
        const id = randomUUID()
        await tx.insert(accessRequests).values({
          ...form,
          exchangeName,
          id,
          userId: user.id,
          purchaseId,
          additionalInfo: form.additionalInfo || null,
          sealedKeys: apiKey && secretKey ? sealKeys(secrets, { apiKey, secretKey }, id) : null,
          submittedAt: now(),
        })
        await accounts.setTradingViewUsername(tx, user.id, tradingViewUsername)

        if (undecided && isSameName(undecided.tradingViewUsername, tradingViewUsername)) return
        await mails.send(tx, email, 'accessRequestReceived', { name, tradingViewUsername })
        await mails.send(tx, supportEmail, 'accessRequested', { name, email, tradingViewUsername })
      })
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
  if (issue) throw new Refusal(400, issue.message, { fields: { [String(issue.path[0])]: issue.message } })
}

async function lockLivePurchase(tx: Transaction, userId: string, which: Which): Promise<string> {
  const [purchase] = await tx
    .select({ id: purchases.id, status: purchases.status })
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
    throw conflict('This subscription has ended. Please subscribe again to get access.')
  return purchase.id
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
    undecided: rows.find(({ status }) => status === 'requested'),
    granted: rows.find(({ status }) => status === 'granted'),
  }
}
