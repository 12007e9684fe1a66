import * as z from 'zod/mini'
import { endpoint } from '../endpoint.ts'
import { billingType, cents, instant, opaqueText, optionalEmail, optionalText, paymentIntentId } from '../fields.ts'
import { country, tax, vatId } from './billing.ts'

const buyerPlace = z.strictObject({
  country,
  postalCode: optionalText(20),
  /** Given by companies, which then account for the tax themselves (reverse charge). */
  vatId: z.optional(vatId),
})

const paidOrder = z.object({
  product: z.string(),
  billingType,
  paidAmount: cents,
  /** Null if the subscription doesn't renew. */
  nextCharge: z.nullable(z.object({ amount: cents, at: instant })),
  /** Address typed at the checkout; the receipt goes there. */
  email: z.string(),
  /** TradingView username typed at the checkout, which the account's owner must confirm. */
  username: z.nullable(z.string()),
  /** How the owner logs in: as before, or with an emailed link that sets a first or a new password. */
  wayIn: z.enum(['login', 'first-link', 'new-link']),
})
export type PaidOrder = z.infer<typeof paidOrder>

const discount = z.object({
  code: z.string(),
  /** Text by `describeDiscount`. */
  worth: z.string(),
  /** Text by `describeCharges`. */
  charges: z.string(),
  /** Due today, in cents. */
  due: z.int(),
})
export type Discount = z.infer<typeof discount>

const code = opaqueText(60, 'Please enter a code').check(z.minLength(1))

/** Version of the checkout's line about news by email. Raise it when the line changes. */
export const newsVersion = '2026-11-17'

export const checkout = {
  createSubscriptionIntent: endpoint('POST /api/create-subscription-intent', {
    access: 'public',
    caller: 'optional',
    summary: 'Start a checkout; returns the client secret for the payment form',
    input: z.strictObject({
      productSlug: opaqueText(100),
      billingType,
      /** Price that the page showed, in cents. If it has changed since, the call is refused. */
      amount: z.optional(cents),
      code: z.optional(code),
      email: optionalEmail,
      /** Starts the access request right after the payment. An invalid username does not stop the checkout. */
      tradingViewUsername: optionalText(200),
      /** Required in shops whose tax Stripe computes. */
      place: z.optional(buyerPlace),
      news: z.optional(z.strictObject({ version: opaqueText(20), objects: z.optional(z.boolean()) })),
    }),
    output: z.object({
      clientSecret: z.string(),
      /** True if the payment has already succeeded; the browser then goes to the success page. */
      isPaid: z.boolean(),
      /** First payment, in cents. */
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
    // Answers 202 while Stripe is still setting up the paid subscription.
    answer: 'later',
    // The browser polls every few seconds while Stripe is slow.
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
