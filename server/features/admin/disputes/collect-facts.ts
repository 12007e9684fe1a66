import { and, desc, eq, ne } from 'drizzle-orm'
import { countryNames } from '#contract/country-names.ts'
import type { LegalText } from '#contract/selling/legal/text.ts'
import type { Context } from '#server/context.ts'
import { personOf } from '#server/database/people.ts'
import { invoices, payments, purchases, refunds } from '#server/database/schema.ts'
import type { DisputedPayment } from '#server/features/selling/disputes/disputes.ts'
import type { Areas } from '../areas.ts'

/** All records that the shop still has about a disputed payment. Lists are oldest first. */
export type DisputeFacts = DisputedPayment & {
  buyer: { id: string; name: string; email: string; isDeleted: boolean }
  billingAddress: string
  product: { name: string; terms: string[] }
  purchase: typeof purchases.$inferSelect | null
  terms: { version: string; sections: LegalText[] } | null
  logins: { at: Date; ip: string }[]
  access: { at: Date; what: string; username: string | null }[]
  messages: { at: Date; message: string; answer: string | null }[]
  emails: { at: Date; subject: string }[]
  refunds: { at: Date; amount: number; status: string }[]
  otherPayments: (typeof payments.$inferSelect)[]
}

type CollectFacts = (disputed: DisputedPayment) => Promise<DisputeFacts>

export const countryName = (code: string | null | undefined) => (code ? countryNames.of(code) : undefined)

/** Latest 200 entries, counted back from the year 2286. */
const latestEntries = { before: new Date(9_999_999_999_999), limit: 200 }
/** Two years of monthly payments. */
const maxOtherPayments = 24

export function createCollectFacts(
  { db, mails, catalog }: Pick<Context, 'db' | 'mails' | 'catalog'>,
  { identity, access, selling, site }: Areas,
): CollectFacts {
  async function findPurchase(id: string) {
    const [purchase] = await db.select().from(purchases).where(eq(purchases.id, id))
    return purchase ?? null
  }

  return async function collectFacts(disputed) {
    const { payment, invoice, order } = disputed
    const { userId } = invoice
    const person = await personOf(db, userId)
    const purchase = invoice.purchaseId ? await findPurchase(invoice.purchaseId) : null
    const productId = purchase?.productId ?? order?.productId
    const product = productId ? await catalog.findRow(productId) : catalog.homeProduct()
    const { company, street, postalCode, city, country } = await selling.customers.billingDetailsOf(userId)
    const billingLines = [company, street, `${postalCode} ${city}`.trim(), countryName(country)]
    const orderLines = [order?.postalCode, countryName(order?.country)]
    const [logins, accessEvents, messages, emails, refundRows, otherPayments] = await Promise.all([
      identity.sessions.historyOf(userId, latestEntries),
      access.core.lists.historyOf(userId, latestEntries),
      site.contact.historyOf(userId, latestEntries),
      mails.sent.historyOf(userId, latestEntries),
      db.select().from(refunds).where(eq(refunds.paymentIntentId, payment.paymentIntentId)).orderBy(refunds.at),
      db
        .select({ payment: payments })
        .from(payments)
        .innerJoin(invoices, eq(invoices.id, payments.invoiceId))
        .where(and(eq(invoices.userId, userId), ne(payments.paymentIntentId, payment.paymentIntentId)))
        .orderBy(desc(payments.paidAt))
        .limit(maxOtherPayments),
    ])
    return {
      ...disputed,
      buyer: { id: person.id, name: person.name, email: person.email, isDeleted: person.deletedAt !== null },
      billingAddress: (country ? billingLines : orderLines).filter(Boolean).join(', '),
      product: { name: product.name, terms: catalog.findById(product.id)?.listed.terms ?? [] },
      purchase,
      terms: order?.termsVersion ? await selling.checkout.terms(order.termsVersion) : null,
      logins: logins.toReversed(),
      access: accessEvents.toReversed(),
      // A message sent without a login may be by someone else.
      messages: messages.filter(({ wasLoggedIn }) => wasLoggedIn).toReversed(),
      emails: emails.toReversed(),
      refunds: refundRows,
      otherPayments: otherPayments.map((row) => row.payment).toReversed(),
    }
  }
}
