import * as z from 'zod/mini'
import { endpoint } from '../endpoint.ts'
import { billingType, cents, instant, opaqueText, optionalEmail, optionalText, paymentIntentId } from '../fields.ts'
import { country, tax, vatId } from './billing.ts'

const buyerPlace = z.strictObject({
  country,
  postalCode: optionalText(20),
  /** A company's; the tax is then its own to pay. */
  vatId: z.optional(vatId),
})

const paidOrder = z.object({
  product: z.string(),
  billingType,
  paidAmount: cents,
  /** Null if it doesn't renew. */
  nextCharge: z.nullable(z.object({ amount: cents, at: instant })),
  /** Address typed at the checkout, which gets the receipt. */
  email: z.string(),
  /** The TradingView username given at the checkout, which the account's owner has to confirm. */
  username: z.nullable(z.string()),
  /** How the account's owner gets in: with what they have, or with the link we've emailed, which replaces an old password. */
  wayIn: z.enum(['login', 'first-link', 'new-link']),
})
export type PaidOrder = z.infer<typeof paidOrder>

const discount = z.object({
  code: z.string(),
  /** In words: what it is worth, and what is charged when. */
  worth: z.string(),
  charges: z.string(),
  /** Today, in cents. */
  due: z.int(),
})
export type Discount = z.infer<typeof discount>

const code = opaqueText(60, 'Please enter a code').check(z.minLength(1))

/** The version of the checkout's line about news by email. Raise it when the line changes. */
export const newsVersion = '2026-11-17'

export const checkout = {
  createSubscriptionIntent: endpoint('POST /api/create-subscription-intent', {
    access: 'public',
    caller: 'optional',
    summary: 'Start a checkout; returns the client secret for the payment form',
    input: z.strictObject({
      productSlug: opaqueText(100),
      billingType,
      /** The price that the page showed, in cents; if it is another one by now, nothing begins. */
      amount: z.optional(cents),
      code: z.optional(code),
      email: optionalEmail,
      /** For access right after paying. It never stops the checkout, whatever is typed. */
      tradingViewUsername: optionalText(200),
      /** Where the buyer is; needed where tax is computed. */
      place: z.optional(buyerPlace),
      news: z.optional(z.strictObject({ version: opaqueText(20), objects: z.optional(z.boolean()) })),
    }),
    /** Already paid: the browser goes to the success page instead of charging twice. */
    output: z.object({
      clientSecret: z.string(),
      isPaid: z.boolean(),
      /** Amount of the first payment, in cents. */
      amountDue: z.int(),
      tax: z.optional(tax),
      discount: z.optional(discount),
    }),
    limit: { requests: 100, seconds: 600 },
  }),
  quote: endpoint('POST /api/checkout/code', {
    access: 'public',
    caller: 'optional',
    summary: 'What a plan costs with a discount code; unknown, over and used up get one answer',
    input: z.strictObject({ productSlug: opaqueText(100), billingType, code }),
    output: discount,
    limit: { requests: 10, seconds: 60 },
  }),
  agree: endpoint('POST /api/checkout/agreement', {
    access: 'public',
    caller: 'optional',
    summary: 'Record, before paying, that the buyer agreed to the terms in force',
    input: z.strictObject({ paymentIntentId }),
    limit: { requests: 60, seconds: 600 },
  }),
  guestPurchaseLogin: endpoint('POST /api/auth/guest-purchase-login', {
    access: 'public',
    summary: 'Log in the guest who just paid from this browser',
    input: z.strictObject({ paymentIntentId }),
    // "Not yet" while the money has arrived, but Stripe is still setting up the subscription.
    answer: 'later',
    // While Stripe is slow, the browser polls every few seconds.
    limit: { requests: 100, seconds: 600 },
  }),
  paid: endpoint('GET /api/checkout/paid', {
    access: 'public',
    summary: 'What the guest who may not be logged in has just paid for from this browser',
    input: z.strictObject({ paymentIntentId }),
    output: paidOrder,
    limit: { requests: 100, seconds: 600 },
  }),
  confirm: endpoint('POST /api/purchases/confirm', {
    summary: 'Book the purchase that a payment paid for; idempotent',
    limit: { requests: 100, seconds: 600 },
    input: z.strictObject({ paymentIntentId }),
    answer: 'later',
  }),
}
