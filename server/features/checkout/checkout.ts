import { randomUUID } from 'node:crypto'
import { and, eq } from 'drizzle-orm'
import { needsPostalCode } from '#contract/billing.ts'
import { priceOf, products } from '#contract/price-list.ts'
import { type BillingType, type EndReason } from '#contract/statuses.ts'
import { readUsername } from '#contract/tradingview-name.ts'
import type { Actor, User } from '../../actor.ts'
import { createKeyedMutex } from '../../concurrency/keyed-mutex.ts'
import type { Database } from '../../database/connect.ts'
import { isOngoingPurchase } from '../../database/live-purchase.ts'
import { purchases as booked, users } from '../../database/schema.ts'
import { conflict, notFound, Refusal } from '../../errors.ts'
import type { Place, StripeGateway } from '../../gateways/stripe.ts'
import type { EmailQuestions } from '../../security/email-questions.ts'
import { hashToken, randomToken } from '../../security/tokens.ts'
import type { Seats } from '../seats/seats.ts'
import type { Checkouts } from './checkouts.ts'
import type { Customers } from './customers.ts'
import { createGuestLogin } from './guest-login.ts'
import type { Agreement } from './order-records.ts'
import { createPrices } from './prices.ts'

export { type CheckoutRow, type Checkouts, createCheckouts } from './checkouts.ts'
export { createCustomers } from './customers.ts'
export { wantedPrices } from './prices.ts'

type Dependencies = {
  db: Database
  now: () => Date
  stripe: StripeGateway
  checkouts: Checkouts
  customers: Customers
  purchases: Purchases
  questions: Pick<EmailQuestions, 'ask'>
  seats: Pick<Seats, 'reserve'>
  /** Whether Stripe computes tax, for which it must know where the buyer is. */
  wantsTax: boolean
  crashPoint: (name: string) => void
}

/** What checkout needs from purchases. */
type Purchases = {
  sync(subscriptionId: string): Promise<void>
  ofPaymentIntent(
    userId: string,
    paymentIntentId: string,
  ): Promise<{ endedBecause: EndReason | null } | undefined>
}

/** The money has arrived, but Stripe may not be done with the subscription yet. */
type Outcome = { state: 'done' | 'processing' }
type Product = (typeof products)[number]
type Order = {
  user: User | null
  email: string
  product: Product
  billingType: BillingType
  place: Place | undefined
}
type Paid = { paymentIntentId: string }
type Wish = {
  productSlug: string
  billingType: BillingType
  email?: string | undefined
  tradingViewUsername?: string | undefined
  place?: { country: string; postalCode?: string | undefined; vatId?: string | undefined } | undefined
}

export type Checkout = ReturnType<typeof createCheckout>

/** From "Continue to Payment" to a booked purchase. */
export function createCheckout(deps: Dependencies) {
  const { db, now, stripe, checkouts, customers, purchases, questions, seats, wantsTax, crashPoint } = deps
  const prices = createPrices(stripe)
  const runExclusive = createKeyedMutex()

  /** Recreates, once, whatever was archived or deleted at Stripe. */
  async function subscribe(attempt: string, order: Order) {
    const { user, email, product, billingType, place } = order
    const create = () => stripe.createCustomer({ attempt, email, ...(user ? { name: user.name } : {}) })
    const own = user && (await customers.ownOf(user.id))
    let customerId = own ?? (await create())
    if (user && !own) await customers.bill(customerId, user.id)
    for (let left = 2; left >= 0; left--) {
      if (place) await stripe.placeCustomer(customerId, place)
      const priceId = await prices.idOf(product, billingType)
      const begun = await stripe.createSubscription({ attempt, customerId, priceId })
      if ('clientSecret' in begun) return begun
      if (begun.missing === 'price') prices.forget(product, billingType)
      else customerId = await create()
    }
    throw new Error(`Stripe does not sell ${product.name} ${billingType}`)
  }

  /** What the summary says about tax before anyone pays. */
  async function taxOn({ subscriptionId }: { subscriptionId: string }) {
    const tax = wantsTax ? await stripe.taxOnFirstInvoice(subscriptionId) : null
    return tax ? { tax } : {}
  }

  /** Keeps a nonce we issued, so two tabs don't invalidate each other; replaces a planted one. */
  const keepNonce = async (nonce: string | undefined) =>
    nonce && (await checkouts.hasNonce(hashToken(nonce))) ? nonce : randomToken()

  return {
    ensurePrices: prices.ensureAll,
    loginOfGuest: createGuestLogin({ db, now, stripe, checkouts, purchases }),

    /** After login: other tabs of this browser keep their checkouts, but a copy of the old nonce is worthless. */
    async rotateNonce(nonce: string) {
      const next = randomToken()
      await checkouts.rotateNonce(hashToken(nonce), hashToken(next))
      return next
    },

    /** At logout: whoever uses this browser next is someone else. */
    forfeitNonce: (nonce: string) => checkouts.forfeitLogins(hashToken(nonce)),

    /**
     * A reload, the back button and a double click all return to the existing attempt. The nonce stays in the browser
     * as a cookie, and later proves that whoever returns from paying is the one who started.
     */
    async begin(actor: Actor<User | null>, nonce: string | undefined, wish: Wish) {
      const { user, ip } = actor
      const product = products.find(({ slug }) => slug === wish.productSlug)
      if (!product) throw notFound('Product')
      const email = user?.email ?? wish.email
      if (!email)
        throw new Refusal(400, 'Please enter your email to continue', {
          fields: { email: 'Please enter your email to continue' },
        })
      if (!user) await questions.ask(ip, email)
      const place = wantsTax ? readPlace(wish.place, ip) : undefined
      const { billingType } = wish
      const named = readUsername(wish.tradingViewUsername ?? '')
      const tradingViewUsername = 'username' in named ? named.username : null
      const amount = priceOf(product, billingType)

      return runExclusive(user?.id ?? nonce ?? randomUUID(), async () => {
        const who = user ? { userId: user.id } : nonce ? { nonceHash: hashToken(nonce) } : undefined
        for (const attempt of who ? await checkouts.open(who, email) : []) {
          const isSame =
            attempt.productId === product.id &&
            attempt.billingType === billingType &&
            attempt.amount === amount &&
            (!place || (await checkouts.isPlacedAt(attempt.id, place)))
          const clientSecret = await stripe.openClientSecret(attempt.subscriptionId)
          // Paid in the meantime, in another tab or before a crash.
          if (!clientSecret) await purchases.sync(attempt.subscriptionId)
          // Paid, but Stripe isn't done yet: don't start anything that could be paid as well.
          else if (await stripe.hasPaid(attempt.paymentIntentId)) {
            if (attempt.productId === product.id) return { clientSecret, isPaid: true, nonce }
          } else if (isSame) {
            await seats.reserve(actor, email, product.id)
            await checkouts.rename(attempt.id, tradingViewUsername)
            return { clientSecret, isPaid: false, nonce, ...(await taxOn(attempt)) }
          }
        }
        await refuseSecond(db, product, user, email)
        await seats.reserve(actor, email, product.id)

        const attempt = randomUUID()
        const kept = await keepNonce(nonce)
        const { clientSecret, ...ids } = await subscribe(attempt, {
          user,
          email,
          product,
          billingType,
          place,
        })
        crashPoint('checkout before commit')
        // The browser gets the secret only now, so nobody can pay for something we haven't recorded.
        await checkouts.begin({
          id: attempt,
          productId: product.id,
          billingType,
          amount,
          email,
          userId: user?.id ?? null,
          nonceHash: hashToken(kept),
          tradingViewUsername,
          ...ids,
        })
        if (place) await checkouts.recordPlace(attempt, place)
        crashPoint('checkout after commit')
        return { clientSecret, isPaid: false, nonce: kept, ...(await taxOn(ids)) }
      })
    },

    /** Only whoever started the checkout, before it is paid. */
    async agree({ user }: Actor<User | null>, nonce: string | undefined, agreed: Agreement & Paid) {
      const { paymentIntentId, ...agreement } = agreed
      const begun = await checkouts.ofPayment(paymentIntentId)
      const isTheirs = begun?.userId
        ? begun.userId === user?.id
        : nonce !== undefined && begun?.nonceHash === hashToken(nonce)
      if (!begun || !isTheirs || begun.closedAt) throw notFound('Checkout')
      await checkouts.recordAgreement(begun.id, agreement)
    },

    /** The browser says the payment went through; we ask Stripe and book the purchase if that hasn't happened yet. */
    async confirm({ user }: Actor, paymentIntentId: string): Promise<Outcome> {
      const checkout = await checkouts.ofPayment(paymentIntentId)
      // A guest's checkout has no user yet: booking decides whose it is, not the caller.
      if (!checkout || (checkout.userId && checkout.userId !== user.id)) throw notFound('Purchase')
      if (!(await purchases.ofPaymentIntent(user.id, paymentIntentId)))
        await purchases.sync(checkout.subscriptionId)
      const purchase = await purchases.ofPaymentIntent(user.id, paymentIntentId)
      if (purchase?.endedBecause === 'duplicate')
        throw conflict('You already have a subscription. We’re refunding this second payment.')
      if (purchase) return { state: 'done' }
      const isTheirs = checkout.userId === user.id || (!checkout.userId && checkout.email === user.email)
      if (isTheirs && !checkout.closedAt && (await stripe.hasPaid(paymentIntentId)))
        return { state: 'processing' }
      throw checkout.userId ? conflict('The payment hasn’t been completed yet') : notFound('Purchase')
    },
  }
}

function readPlace(given: Wish['place'], ip: string): Place {
  const { country, postalCode = '', vatId = '' } = given ?? {}
  if (!country) throw missing('country', 'Please choose your country')
  if (needsPostalCode(country) && !postalCode) throw missing('postalCode', 'Please enter your postal code')
  return { country, postalCode, vatId, ip }
}

const missing = (field: string, message: string) =>
  new Refusal(400, message, { fields: { [field]: message } })

async function refuseSecond(db: Database, product: Product, buyer: User | null, email: string) {
  const [live] = await db
    .select({ id: booked.id })
    .from(booked)
    .innerJoin(users, eq(users.id, booked.userId))
    .where(
      and(
        buyer ? eq(users.id, buyer.id) : eq(users.email, email),
        eq(booked.productId, product.id),
        isOngoingPurchase,
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
