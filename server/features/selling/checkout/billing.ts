import { eq } from 'drizzle-orm'
import type { BillingDetails } from '#contract/selling/billing.ts'
import type { Actor } from '#server/actor.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { billingDetails, users } from '#server/database/schema.ts'
import type { StripeGateway } from '#server/gateways/stripe.ts'

type Dependencies = {
  db: Database
  now: () => Date
  stripe: StripeGateway
  /** The account's customers at Stripe. */
  idsOf: (userId: string) => Promise<string[]>
}

const none: BillingDetails = { company: '', street: '', postalCode: '', city: '', country: '', vatId: '' }

/** What a buyer wants on invoices. Stripe writes those, so it learns first, and says whether the VAT ID can be right. */
export function createBilling({ db, now, stripe, idsOf }: Dependencies) {
  async function find(userId: string) {
    const [row] = await db
      .select({ name: users.name, details: billingDetails })
      .from(users)
      .leftJoin(billingDetails, eq(billingDetails.userId, users.id))
      .where(eq(users.id, userId))
    return row
  }

  async function billingDetailsOf(userId: string): Promise<BillingDetails> {
    const details = (await find(userId))?.details
    if (!details) return none
    const { company, street, postalCode, city, country, vatId } = details
    return { company, street, postalCode, city, country, vatId }
  }

  return {
    billingDetails: billingDetailsOf,

    async saveBillingDetails({ user }: Actor, given: { [Key in keyof BillingDetails]?: string | undefined }) {
      const details = { ...none, ...given } as BillingDetails
      for (const id of await idsOf(user.id))
        await stripe.setBillingDetails(id, { ...details, name: user.name })
      await db
        .insert(billingDetails)
        .values({ ...details, userId: user.id, updatedAt: now() })
        .onConflictDoUpdate({ target: billingDetails.userId, set: { ...details, updatedAt: now() } })
    },

    /** A new customer at Stripe gets what the account already has. */
    async bill(customerId: string, userId: string) {
      const row = await find(userId)
      if (row?.details) await stripe.setBillingDetails(customerId, { ...row.details, name: row.name })
    },

    async dataOf(userId: string) {
      return { billingDetails: await billingDetailsOf(userId) }
    },
  }
}

/** Invoices keep what was on them, as the books require; for the next one there is no one left. */
export async function forgetBilling(tx: Transaction, userId: string) {
  await tx.delete(billingDetails).where(eq(billingDetails.userId, userId))
}
