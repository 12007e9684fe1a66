import type { EndReason } from '#contract/statuses.ts'
import type { Actor, User } from '#server/actor.ts'
import { conflict, notFound } from '#server/errors.ts'
import { hashToken, randomToken } from '#server/security/tokens.ts'
import { type BeginDependencies, createBegin } from './begin.ts'
import { createGuestLogin } from './guest-login.ts'
import type { Agreement } from './order-records.ts'
import { createPrices } from './prices.ts'

export { type CheckoutRow, type Checkouts, createCheckouts } from './checkouts.ts'
export { wantedPrices } from './prices.ts'
export { createCustomers } from './stripe-customers.ts'

type Dependencies = BeginDependencies & { now: () => Date; purchases: Purchases }

/** What checkout needs from purchases. */
type Purchases = {
  sync(subscriptionId: string): Promise<void>
  ofPaymentIntent(
    userId: string,
    paymentIntentId: string,
  ): Promise<{ endedBecause: EndReason | null } | undefined>
}

type Paid = { paymentIntentId: string }

export type Checkout = ReturnType<typeof createCheckout>

/** From "Continue to Payment" to a booked purchase. */
export function createCheckout(deps: Dependencies) {
  const { stripe, checkouts, purchases, seats } = deps
  const prices = createPrices(stripe)

  return {
    ensurePrices: prices.ensureAll,
    begin: createBegin({ ...deps, prices }),
    loginOfGuest: createGuestLogin(deps),

    /** After login: other tabs of this browser keep their checkouts, but a copy of the old nonce is worthless. */
    async rotateNonce(nonce: string) {
      const next = randomToken()
      await checkouts.rotateNonce(hashToken(nonce), hashToken(next))
      return next
    },

    /** At logout: whoever uses this browser next is someone else. */
    forfeitNonce: (nonce: string) => checkouts.forfeitLogins(hashToken(nonce)),

    /** Only whoever started the checkout, before it is paid. */
    async agree({ user, ip }: Actor<User | null>, nonce: string | undefined, agreed: Agreement & Paid) {
      const { paymentIntentId, ...agreement } = agreed
      const begun = await checkouts.ofPayment(paymentIntentId)
      const isTheirs = begun?.userId
        ? begun.userId === user?.id
        : nonce !== undefined && begun?.nonceHash === hashToken(nonce)
      if (!begun || !isTheirs || begun.closedAt) throw notFound('Checkout')
      // Better refused now than refunded later.
      await seats.reserve(begun, begun.productId, ip)
      await checkouts.recordAgreement(begun.id, agreement)
    },

    /** The browser says the payment went through; we ask Stripe and book the purchase if that hasn't happened yet. */
    async confirm({ user }: Actor, paymentIntentId: string): Promise<'done' | 'not yet'> {
      const checkout = await checkouts.ofPayment(paymentIntentId)
      // A guest's checkout has no user yet: booking decides whose it is, not the caller.
      if (!checkout || (checkout.userId && checkout.userId !== user.id)) throw notFound('Purchase')
      if (!(await purchases.ofPaymentIntent(user.id, paymentIntentId)))
        await purchases.sync(checkout.subscriptionId)
      const purchase = await purchases.ofPaymentIntent(user.id, paymentIntentId)
      if (purchase?.endedBecause === 'duplicate')
        throw conflict('paid-twice', 'You already have a subscription. We’re refunding this second payment.')
      if (purchase?.endedBecause === 'no_seat')
        throw conflict(
          'paid-too-late',
          'The last seat was taken before you paid. We’re refunding your payment.',
        )
      if (purchase) return 'done'
      const isTheirs = checkout.userId === user.id || (!checkout.userId && checkout.email === user.email)
      if (isTheirs && !checkout.closedAt && (await stripe.hasPaid(paymentIntentId))) return 'not yet'
      throw checkout.userId
        ? conflict('not-paid', 'The payment hasn’t been completed yet')
        : notFound('Purchase')
    },
  }
}
