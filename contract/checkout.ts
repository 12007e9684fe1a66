import { endpoint } from './endpoint.ts'
import { billingType, email, paymentIntentId } from './fields.ts'
import { schema } from './schema.ts'

/** `processing`: the money has arrived, and Stripe has not finished the subscription yet. Ask again in a moment. */
const outcome = schema((z) => z.strictObject({ state: z.enum(['done', 'processing']) }))

export const checkout = {
  createSubscriptionIntent: endpoint({
    method: 'POST',
    path: '/api/create-subscription-intent',
    access: 'public',
    caller: 'optional',
    summary: 'Begin a checkout; the answer is the secret that the payment form confirms with',
    input: (z) =>
      z.strictObject({
        productSlug: z.string().check(z.maxLength(100)),
        billingType: billingType(z),
        email: z.optional(email(z)),
      }),
    /** What is paid already must not be paid again: the browser goes on to the success page. */
    output: (z) => z.strictObject({ clientSecret: z.string(), isPaid: z.boolean() }),
    limit: { requests: 20, seconds: 600 },
  }),
  guestPurchaseLogin: endpoint({
    method: 'POST',
    path: '/api/auth/guest-purchase-login',
    access: 'public',
    summary: 'Log the guest in who has just paid from this browser',
    input: (z) => z.strictObject({ paymentIntentId: paymentIntentId(z) }),
    output: outcome,
    // While Stripe is slow, the browser asks every few seconds.
    limit: { requests: 100, seconds: 600 },
  }),
  confirm: endpoint({
    method: 'POST',
    path: '/api/purchases/confirm',
    access: 'user',
    summary: 'Book the purchase that a payment has paid for; repeating it changes nothing',
    input: (z) => z.strictObject({ paymentIntentId: paymentIntentId(z) }),
    output: outcome,
  }),
}
