import { eq, lt, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { type BillingDetails, needsPostalCode } from '#contract/selling/billing.ts'
import type { Context } from '#server/context.ts'
import type { Transaction } from '#server/database/connect.ts'
import { billingDetails } from '#server/database/schema.ts'
import { invalid } from '#server/errors.ts'
import type { Place } from '#server/gateways/stripe.ts'
import type { OrderRow, Orders } from '../orders/orders.ts'

type TypedPlace = { country: string; postalCode?: string | undefined; vatId?: string | undefined }

export type OrderPlace = Place & {
  street: string
  city: string
  /** True if a running subscription of the same customer at Stripe is taxed for this place. */
  isInUse: boolean
}

/** `hadAccountAlready` is true if the order of a guest belongs to an account that existed before. */
type OrderBuyer = { userId: string; hadAccountAlready: boolean }

/** Address and VAT ID of an account, which decide the tax. Paid orders and the buyer's form write them. */
export type TaxPlace = {
  billingDetailsOf(userId: string): Promise<BillingDetails>
  /** True while a subscription of the account's own customer at Stripe is running. */
  hasSubscription(userId: string): Promise<boolean>
  /** Returns the billing details while a subscription is running, else the typed place, completed from the same country. */
  findPlace(userId: string | undefined, typed: TypedPlace | undefined, ip: string): Promise<OrderPlace>
  /** Copies a paid order's place to the billing details, unless the buyer has changed them since the order began. */
  recordPlace(tx: Transaction, order: OrderRow, buyer: OrderBuyer): Promise<void>
}

type TaxPlaceDeps = Pick<Context, 'db' | 'now'> & { orders: Pick<Orders, 'customers' | 'listRunningSubscriptions'> }

export const noDetails: BillingDetails = { company: '', street: '', postalCode: '', city: '', country: '', vatId: '' }

export function createTaxPlace({ db, now, orders }: TaxPlaceDeps): TaxPlace {
  async function billingDetailsOf(userId: string): Promise<BillingDetails> {
    const [details] = await db.select().from(billingDetails).where(eq(billingDetails.userId, userId))
    if (!details) return noDetails
    const { company, street, postalCode, city, country, vatId } = details
    return { company, street, postalCode, city, country, vatId }
  }

  async function hasSubscription(userId: string) {
    const customerId = await orders.customers.ownCustomerOf(userId)
    return customerId !== undefined && (await orders.listRunningSubscriptions(customerId)).length > 0
  }

  return {
    billingDetailsOf,

    hasSubscription,

    async findPlace(userId, typed, ip) {
      const details = userId ? await billingDetailsOf(userId) : noDetails
      if (userId && (await hasSubscription(userId))) {
        assertPlace(details)
        if (typed && !isSamePlace(typed, details)) throw invalid('country', placeInUseSentence)
        return { ...details, ip, isInUse: true }
      }
      const { country, postalCode = '', vatId = '' } = typed ?? {}
      if (!country) throw invalid('country', 'Please choose your country')
      if (needsPostalCode(country) && !postalCode) throw invalid('postalCode', 'Please enter your postal code')
      const address = details.country === country ? details : noDetails
      const { street, city } = address
      return { country, postalCode: postalCode || address.postalCode, vatId, ip, street, city, isInUse: false }
    },

    async recordPlace(tx, { country, postalCode, vatId, createdAt }, { userId, hadAccountAlready }) {
      if (!country) return
      const place = { country, postalCode: postalCode ?? '', vatId: vatId ?? '', updatedAt: now() }
      const ifSameCountry = (column: PgColumn) =>
        sql`case when ${billingDetails.country} = ${country} then ${column} else '' end`
      const hasNoCountry = eq(billingDetails.country, '')
      await tx
        .insert(billingDetails)
        .values({ ...noDetails, ...place, userId })
        .onConflictDoUpdate({
          target: billingDetails.userId,
          set: { ...place, street: ifSameCountry(billingDetails.street), city: ifSameCountry(billingDetails.city) },
          // A guest may type anyone's address, so a guest's order never replaces the place of an existing account.
          setWhere: hadAccountAlready
            ? hasNoCountry
            : sql`(${hasNoCountry} or ${lt(billingDetails.updatedAt, createdAt)})`,
        })
    },
  }
}

const placeInUseSentence =
  'The tax on your subscription depends on this. Please change it under Invoices > Billing details first.'

const isSamePlace = (typed: TypedPlace, { country, postalCode, vatId }: BillingDetails) =>
  typed.country === country && (typed.postalCode || postalCode) === postalCode && (typed.vatId ?? '') === vatId

/** Stripe would charge without tax if the place were incomplete. */
export function assertPlace({ country, postalCode }: BillingDetails) {
  if (!country) throw invalid('country', 'The tax on your subscription depends on the country')
  if (needsPostalCode(country) && !postalCode)
    throw invalid('postalCode', 'The tax on your subscription depends on the postal code')
}
