import { eq } from 'drizzle-orm'
import type { Context } from '#server/context.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { orderRecords } from '#server/database/schema.ts'
import type { Place } from '#server/gateways/stripe.ts'

/** The evidence that belongs to an order: what the buyer agreed to, and where they are. */
export function createOrderRecords({ db, now }: Context) {
  async function record(
    tx: Database | Transaction,
    checkoutId: string,
    facts: Partial<typeof orderRecords.$inferInsert>,
  ) {
    await tx
      .insert(orderRecords)
      .values({ ...facts, checkoutId })
      .onConflictDoUpdate({ target: orderRecords.checkoutId, set: facts })
  }

  async function find(checkoutId: string, tx: Database | Transaction = db) {
    const [kept] = await tx.select().from(orderRecords).where(eq(orderRecords.checkoutId, checkoutId))
    return kept
  }

  return {
    recordAgreement: (checkoutId: string, termsVersion: string) =>
      record(db, checkoutId, { termsVersion, agreedAt: now() }),

    /** What it costs and, for tax, where the buyer is; the VAT ID is with the customer at Stripe. */
    recordOffer: (checkoutId: string, amountDue: number, place: Place | undefined) =>
      record(db, checkoutId, {
        amountDue,
        ...(place
          ? { country: place.country, postalCode: place.postalCode || null, isCompany: place.vatId !== '' }
          : {}),
      }),

    /** That they were told about news by email when they gave the address, and whether they objected. */
    async recordNews(checkoutId: string, news: { version: string; objects?: boolean | undefined } | undefined) {
      if (news) await record(db, checkoutId, { newsVersion: news.version, newsObjectedAt: news.objects ? now() : null })
    },

    async mayGetNews(tx: Transaction, checkoutId: string) {
      const kept = await find(checkoutId, tx)
      return Boolean(kept?.newsVersion && !kept.newsObjectedAt)
    },

    amountDueOf: async (checkoutId: string) => (await find(checkoutId))?.amountDue ?? null,

    /** Whether this attempt was taxed for the same place. A company always begins again. */
    async isPlacedAt(checkoutId: string, { country, postalCode, vatId }: Place) {
      const kept = await find(checkoutId)
      if (vatId || kept?.isCompany) return false
      return kept?.country === country && (kept.postalCode ?? '') === postalCode
    },

    async recordCard(tx: Transaction, checkoutId: string, cardCountry: string | null | undefined) {
      if (cardCountry) await record(tx, checkoutId, { cardCountry })
    },
  }
}
