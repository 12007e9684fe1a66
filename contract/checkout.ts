import { endpoint, nothing } from './endpoint.ts'
import { billingType, email, paymentIntentId } from './fields.ts'

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
    output: (z) => z.strictObject({ clientSecret: z.string() }),
    limit: { requests: 20, seconds: 600 },
  }),
  guestPurchaseLogin: endpoint({
    method: 'POST',
    path: '/api/auth/guest-purchase-login',
    access: 'public',
    summary: 'Log the guest in who has just paid from this browser',
    input: (z) => z.strictObject({ paymentIntentId: paymentIntentId(z) }),
    output: nothing,
    limit: { requests: 20, seconds: 600 },
  }),
  confirm: endpoint({
    method: 'POST',
    path: '/api/purchases/confirm',
    access: 'user',
    summary: 'Book the purchase that a payment has paid for; repeating it changes nothing',
    input: (z) => z.strictObject({ paymentIntentId: paymentIntentId(z) }),
    output: nothing,
  }),
}
