import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { and, eq } from 'drizzle-orm'
import { exactDollars } from '#contract/money.ts'
import { needsPostalCode } from '#contract/selling/billing.ts'
import type { BillingType } from '#contract/statuses.ts'
import { readUsername } from '#contract/tradingview-name.ts'
import type { Actor, User } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import type { Database } from '#server/database/connect.ts'
import { isOngoingPurchase } from '#server/database/live-purchase.ts'
import { purchases, users } from '#server/database/schema.ts'
import { conflict, notFound, Refusal } from '#server/errors.ts'
import type { Place, StripeGateway, Tax } from '#server/gateways/stripe.ts'
import type { EmailQuestions } from '#server/security/email-questions.ts'
import { hashToken, randomToken } from '#server/security/tokens.ts'
import type { Product } from '../catalog/catalog.ts'
import type { Prices } from '../prices/prices.ts'
import type { Seats } from '../seats/seats.ts'
import type { Checkouts } from './checkouts.ts'
import type { createSubscribe } from './subscribe.ts'

type Others = {
  stripe: StripeGateway
  checkouts: Checkouts
  seats: Seats
  prices: Prices
  questions: EmailQuestions
  sync: (subscriptionId: string) => Promise<void>
  subscribe: ReturnType<typeof createSubscribe>
}

type Wish = {
  productSlug: string
  billingType: BillingType
  amount?: number | undefined
  email?: string | null | undefined
  tradingViewUsername?: string | undefined
  news?: { version: string; objects?: boolean | undefined } | undefined
  place?: { country: string; postalCode?: string | undefined; vatId?: string | undefined } | undefined
}

/** "Continue to Payment". */
export function createBegin(context: Context, others: Others) {
  const { db, config, catalog, attempts, refuseShopAddress, crashPoint } = context
  const { stripe, checkouts, seats, prices, questions, sync, subscribe } = others
  // Stripe computes it, for which it must know where the buyer is.
  const wantsTax = config.tax.mode === 'stripe'

  /** One at a time for a buyer or a browser, in any process. A turn that a crash left behind ends by itself. */
  async function inTurn<Result>(who: string, work: (hadToWait: boolean) => Promise<Result>) {
    let hadToWait = false
    while (!(await attempts.allows('checkout', who, { requests: 1, seconds: 20 }))) {
      hadToWait = true
      await setTimeout(100)
    }
    try {
      return await work(hadToWait)
    } finally {
      await attempts.clear('checkout', who)
    }
  }

  /**
   * A reload, the back button and a double click all return to the existing attempt. The nonce stays in the browser
   * as a cookie, and later proves that it returns from paying what it started.
   */
  return async function begin(actor: Actor<User | null>, nonce: string | undefined, wish: Wish) {
    const { user, ip, userAgent } = actor
    const product = catalog.onSale().find(({ slug }) => slug === wish.productSlug)
    if (!product) throw notFound('Product')
    const email = user?.email ?? wish.email
    if (!email)
      throw new Refusal(400, 'invalid-input', 'Please enter your email to continue', {
        fields: { email: 'Please enter your email to continue' },
      })
    if (!user) {
      await questions.countOrRefuse(ip, email)
      refuseShopAddress(email)
    }
    const place = wantsTax ? readPlace(wish.place, ip) : undefined
    const { billingType } = wish
    const named = readUsername(wish.tradingViewUsername ?? '')
    const tradingViewUsername = 'username' in named ? named.username : null
    const price = await prices.of(product.id, billingType)
    const { amount } = price

    const isBuyer = { userId: user?.id ?? null, email }
    const insistOnOffer = async () => {
      if (wish.amount !== undefined && wish.amount !== amount)
        throw new Refusal(409, 'price-changed', `The price has changed to ${exactDollars(amount)}`, {
          amount,
        })
      await seats.insistOnFree(isBuyer, product.id)
    }

    return inTurn(user?.id ?? nonce ?? `${ip} ${userAgent} ${email}`, async (hadToWait) => {
      // Two tabs keep the nonce we issued and don't invalidate each other's; a planted one is replaced.
      const issued = nonce && (await checkouts.logins.hasNonce(hashToken(nonce))) ? nonce : undefined
      // Their first click has just been answered, with the nonce that this one lacks. Only that browser may have it.
      if (hadToWait && !user && !issued) throw conflict('changed-meanwhile', secondClick)
      const who = user ? { userId: user.id } : issued ? { nonceHash: hashToken(issued) } : undefined
      for (const attempt of who ? await checkouts.open(who, email) : []) {
        const isSame =
          attempt.productId === product.id &&
          attempt.billingType === billingType &&
          attempt.amount === amount &&
          (!place || (await checkouts.orders.isPlacedAt(attempt.id, place)))
        const open = await stripe.newSubscriptions.open(attempt.subscriptionId)
        // Paid in the meantime, in another tab or before a crash.
        if (!open) await sync(attempt.subscriptionId)
        // Paid, but Stripe isn't done yet: don't start anything that could be paid as well.
        else if (await stripe.payments.hasPaid(attempt.paymentIntentId)) {
          if (attempt.productId === product.id) return { ...answer(open), isPaid: true, nonce }
        } else if (isSame) {
          await insistOnOffer()
          await checkouts.setUsername(attempt.id, tradingViewUsername)
          await checkouts.orders.recordNews(attempt.id, wish.news)
          return { ...answer(open), nonce }
        }
      }
      await refuseSecond(db, product, user, email)
      await insistOnOffer()

      const attempt = randomUUID()
      const kept = issued ?? randomToken()
      const order = { user, email, price, place }
      const { clientSecret, amountDue, tax, ...ids } = await subscribe(attempt, order)
      crashPoint('checkout before commit')
      // The browser gets the secret only now, so no one can pay for something we haven't recorded.
      await checkouts.begin({
        ...isBuyer,
        id: attempt,
        productId: product.id,
        billingType,
        amount,
        nonceHash: hashToken(kept),
        tradingViewUsername,
        ...ids,
      })
      await checkouts.orders.recordOffer(attempt, amountDue, place)
      await checkouts.orders.recordNews(attempt, wish.news)
      crashPoint('checkout after commit')
      return { ...answer({ clientSecret, amountDue, tax }), nonce: kept }
    })
  }
}

const secondClick = 'Your checkout has just been opened. Please try again.'

/** What the page says before anyone pays is what Stripe will charge. */
const answer = ({ tax, ...payment }: { clientSecret: string; amountDue: number; tax: Tax | null }) => ({
  ...payment,
  isPaid: false,
  ...(tax ? { tax } : {}),
})

function readPlace(given: Wish['place'], ip: string): Place {
  const { country, postalCode = '', vatId = '' } = given ?? {}
  if (!country) throw missing('country', 'Please choose your country')
  if (needsPostalCode(country) && !postalCode) throw missing('postalCode', 'Please enter your postal code')
  return { country, postalCode, vatId, ip }
}

const missing = (field: string, message: string) =>
  new Refusal(400, 'invalid-input', message, { fields: { [field]: message } })

async function refuseSecond(db: Database, product: Product, buyer: User | null, email: string) {
  const [live] = await db
    .select({ id: purchases.id })
    .from(purchases)
    .innerJoin(users, eq(users.id, purchases.userId))
    .where(
      and(
        buyer ? eq(users.id, buyer.id) : eq(users.email, email),
        eq(purchases.productId, product.id),
        isOngoingPurchase,
      ),
    )
    .limit(1)
  if (live)
    throw conflict(
      'already-subscribed',
      buyer
        ? `You already have a subscription to ${product.name}. You can manage it on your dashboard.`
        : `There is already a subscription to ${product.name} for this email. Please log in to manage it.`,
    )
}
