import { randomBytes, randomUUID } from 'node:crypto'
import { and, desc, eq, gt, inArray, isNull } from 'drizzle-orm'
import type { BillingType } from '#contract/fields.ts'
import { catalogue, priceOf } from '#contract/price-list.ts'
import { liveStatuses } from '#contract/purchases.ts'
import type { Database } from '../../database/connect.ts'
import { checkouts, purchases as purchasesTable, users } from '../../database/schema.ts'
import { conflict, notFound, Refusal } from '../../errors.ts'
import type { StripeGateway } from '../../gateways/stripe.ts'
import { hashToken } from '../../http/session.ts'
import type { Purchases } from '../purchases/purchases.ts'
import { createGuestLogin } from './guest-login.ts'
import { createPrices } from './prices.ts'

type Dependencies = {
  db: Database
  now: () => Date
  stripe: StripeGateway
  purchases: Purchases
  crashPoint: (name: string) => void
}

type Buyer = { id: string; email: string }
type Product = (typeof catalogue)[number]
type Wish = { productSlug: string; billingType: BillingType; email?: string | undefined }

export type Checkout = ReturnType<typeof createCheckout>

const minute = 60_000
/** Stripe gives an unpaid subscription up after 23 hours. */
const reusableFor = 22 * 60 * minute

/** From "Continue to Payment" to a booked purchase. */
export function createCheckout({ db, now, stripe, purchases, crashPoint }: Dependencies) {
  const prices = createPrices(stripe)
  const ago = (span: number) => new Date(now().getTime() - span)

  async function subscribe(attempt: string, email: string, product: Product, billing: BillingType) {
    const ask = async () =>
      stripe.createSubscription({ attempt, email, priceId: await prices.idOf(product, billing) })
    const begun = await ask()
    if (begun) return begun
    prices.forget(product, billing)
    const again = await ask()
    if (!again) throw new Error(`Stripe does not sell ${product.name} ${billing}`)
    return again
  }

  async function refuseSecond(product: Product, buyer: Buyer | null, email: string) {
    const [live] = await db
      .select({ id: purchasesTable.id })
      .from(purchasesTable)
      .innerJoin(users, eq(users.id, purchasesTable.userId))
      .where(
        and(
          buyer ? eq(users.id, buyer.id) : eq(users.email, email),
          eq(purchasesTable.productId, product.id),
          inArray(purchasesTable.status, [...liveStatuses]),
        ),
      )
      .limit(1)
    if (live)
      throw conflict(
        buyer
          ? `You already have a subscription to ${product.name}. You can manage it on your dashboard.`
          : `There is already a subscription to ${product.name} for this email. Please log in to manage it.`,
      )
  }

  /** What this buyer, or this guest's browser, has begun and not paid yet, newest first. */
  const openAttempts = (buyer: Buyer | null, nonce: string | undefined, email: string) =>
    buyer || nonce
      ? db
          .select()
          .from(checkouts)
          .where(
            and(
              buyer
                ? eq(checkouts.userId, buyer.id)
                : and(isNull(checkouts.userId), eq(checkouts.nonceHash, hashToken(nonce ?? ''))),
              eq(checkouts.email, email),
              isNull(checkouts.closedAt),
              gt(checkouts.createdAt, ago(reusableFor)),
            ),
          )
          .orderBy(desc(checkouts.createdAt))
          .limit(10)
      : []

  /** A nonce of ours stays, so that two tabs never take each other's away; a planted one does not. */
  async function keepNonce(nonce: string | undefined) {
    const [known] = nonce
      ? await db
          .select({ id: checkouts.id })
          .from(checkouts)
          .where(eq(checkouts.nonceHash, hashToken(nonce)))
          .limit(1)
      : []
    return known && nonce ? nonce : randomBytes(32).toString('base64url')
  }

  return {
    ensurePrices: prices.ensureAll,
    loginOfGuest: createGuestLogin({ db, now, stripe, purchases }),

    /**
     * Reload, back and a double click come back to the attempt that is already there. The nonce stays with the
     * browser as a cookie: later it shows that the one who returns from paying is the one who began.
     */
    async begin(buyer: Buyer | null, nonce: string | undefined, wish: Wish) {
      const product = catalogue.find(({ slug }) => slug === wish.productSlug)
      if (!product) throw notFound('Product')
      const email = buyer?.email ?? wish.email
      if (!email)
        throw new Refusal(400, 'Please enter your email to continue', {
          fields: { email: 'Please enter your email to continue' },
        })
      const { billingType } = wish
      const amount = priceOf(product, billingType)

      return purchases.inTurn(`checkout ${buyer?.id ?? nonce ?? randomUUID()}`, async () => {
        const open = await openAttempts(buyer, nonce, email)
        for (const attempt of open) {
          const isSame =
            attempt.productId === product.id &&
            attempt.billingType === billingType &&
            attempt.amount === amount
          const clientSecret = await stripe.openClientSecret(attempt.subscriptionId)
          // Paid meanwhile, in another tab or before a crash.
          if (!clientSecret) await purchases.sync(attempt.subscriptionId)
          else if (isSame) return { clientSecret, nonce }
        }
        await refuseSecond(product, buyer, email)

        const attempt = randomUUID()
        const kept = await keepNonce(nonce)
        const { clientSecret, ...ids } = await subscribe(attempt, email, product, billingType)
        crashPoint('checkout before commit')
        // Only now does the browser get the secret: nobody can pay for what is not written down.
        await db.insert(checkouts).values({
          id: attempt,
          productId: product.id,
          billingType,
          amount,
          email,
          userId: buyer?.id ?? null,
          nonceHash: hashToken(kept),
          createdAt: now(),
          ...ids,
        })
        crashPoint('checkout after commit')
        return { clientSecret, nonce: kept }
      })
    },

    /** The payment has been made, says the browser; Stripe is asked, and the purchase is booked if nobody has yet. */
    async confirm(userId: string, paymentIntentId: string) {
      const [checkout] = await db
        .select({ subscriptionId: checkouts.subscriptionId, userId: checkouts.userId })
        .from(checkouts)
        .where(eq(checkouts.paymentIntentId, paymentIntentId))
      // A guest's checkout has no user yet: booking decides whose it is, not this caller.
      if (!checkout || (checkout.userId && checkout.userId !== userId)) throw notFound('Purchase')
      if (!(await purchases.ofPaymentIntent(userId, paymentIntentId)))
        await purchases.sync(checkout.subscriptionId)
      const booked = await purchases.ofPaymentIntent(userId, paymentIntentId)
      if (booked?.endedBecause === 'duplicate')
        throw conflict('You already have a subscription. We are sending this second payment back.')
      if (booked) return
      throw checkout.userId ? conflict('The payment has not been completed yet') : notFound('Purchase')
    },
  }
}
