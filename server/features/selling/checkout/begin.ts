import { randomUUID } from 'node:crypto'
import { and, eq } from 'drizzle-orm'
import type { ParsedInputOf, RawOutputOf } from '#contract/endpoint.ts'
import { exactDollars } from '#contract/money.ts'
import { needsPostalCode } from '#contract/selling/billing.ts'
import { describeCharges, describeDiscount } from '#contract/selling/charges.ts'
import type { checkout } from '#contract/selling/checkout.ts'
import { parseUsername } from '#contract/tradingview-name.ts'
import type { Actor, User } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import type { Database } from '#server/database/connect.ts'
import { isOngoingPurchase, purchases, users } from '#server/database/schema.ts'
import { conflict, invalid, notFound, Refusal } from '#server/errors.ts'
import type { Place, Tax } from '#server/gateways/stripe.ts'
import { hashToken, randomToken } from '#server/security/tokens.ts'
import type { Product } from '../catalog/catalog.ts'
import type { AppliedCode, Code, Codes } from '../codes/codes.ts'
import { isPlacedAt, newsColumns, type OpenOrder, type Orders, placeColumns } from '../orders/orders.ts'
import type { Price, Prices } from '../prices/prices.ts'
import type { Customers } from './stripe-customers.ts'

type BeginContext = Pick<
  Context,
  'attempts' | 'catalog' | 'config' | 'crashPoint' | 'db' | 'now' | 'refuseShopAddress' | 'runExclusive' | 'stripe'
>
type BeginDeps = {
  orders: Orders
  customers: Customers
  codes: Codes
  prices: Prices
  sync: (subscriptionId: string) => Promise<void>
  cancelUnpaid: (subscriptionId: string) => Promise<void>
}

/** Opens a checkout, or the caller's open one again. The browser gets a nonce if it has none yet. */
export type Begin = (
  actor: Actor<User | null>,
  nonce: string | undefined,
  input: BeginInput,
) => Promise<RawOutputOf<typeof checkout.createSubscriptionIntent> & { nonce: string | undefined }>

type Unpaid = { clientSecret: string; amountDue: number; tax: Tax | null }
type BeginInput = ParsedInputOf<typeof checkout.createSubscriptionIntent>

export function createBegin(context: BeginContext, deps: BeginDeps): Begin {
  const { db, now, stripe, config, catalog, attempts, refuseShopAddress, crashPoint, runExclusive } = context
  const { orders, codes, prices, sync, cancelUnpaid } = deps
  const subscribe = createSubscribe(context, deps)
  // Stripe computes it, for which it must know where the buyer is.
  const wantsTax = config.tax.mode === 'stripe'

  /** A reload, the back button and a double click return to the same attempt. The nonce proves which browser began it. */
  return async function begin(actor, nonce, wish) {
    const { user, ip, userAgent } = actor
    const product = catalog.onSale().find(({ slug }) => slug === wish.productSlug)
    if (!product) throw notFound('Product')
    const email = user?.email ?? wish.email
    if (!email) throw invalid('email', 'Please enter your email to continue')
    if (!user) {
      await attempts.countQuestion(ip, email)
      refuseShopAddress(email)
    }
    const place = wantsTax ? readPlace(wish.place, ip) : undefined
    const { billingType } = wish
    const named = parseUsername(wish.tradingViewUsername ?? '')
    const tradingViewUsername = 'username' in named ? named.username : null
    const price = await prices.of(product.id, billingType)
    const { amount } = price

    const isBuyer = { userId: user?.id ?? null, email }
    const assertPriceShown = () => {
      if (wish.amount !== undefined && wish.amount !== amount)
        throw new Refusal(409, 'price-changed', `The price has changed to ${exactDollars(amount)}`, { amount })
    }

    const buyer = user?.id ?? nonce ?? `${ip} ${userAgent} ${email}`
    return runExclusive(`checkout ${buyer}`, async (hadToWait) => {
      // Two tabs keep the nonce we issued and don't invalidate each other's; a planted one is replaced.
      const issued = nonce && (await orders.logins.hasNonce(hashToken(nonce))) ? nonce : undefined
      // Their first click has just been answered, with the nonce that this one lacks. Only that browser may have it.
      if (hadToWait && !user && !issued) throw conflict('changed-meanwhile', secondClick)
      const who = user ? { userId: user.id } : issued ? { nonceHash: hashToken(issued) } : undefined
      const open = who ? await orders.open(who) : []
      const terms = { productId: product.id, billingType, price: amount, buyer: isBuyer }
      let refusal: unknown
      const applied =
        wish.code &&
        (await codes.apply(wish.code, terms).catch((error: unknown) => {
          refusal = error
          return undefined
        }))
      const isSame = (attempt: OpenOrder) =>
        !refusal &&
        attempt.email === email &&
        attempt.productId === product.id &&
        attempt.billingType === billingType &&
        attempt.amount === amount &&
        attempt.codeId === (applied ? applied.code.id : null) &&
        (!place || isPlacedAt(attempt, place))
      const answer = ({ tax, ...payment }: Unpaid) => ({
        ...payment,
        isPaid: false,
        ...(tax ? { tax } : {}),
        ...(applied ? { discount: discounted(applied, payment.amountDue, now()) } : {}),
      })
      const replaced: string[] = []
      let same: { attempt: OpenOrder; unpaid: Unpaid } | undefined
      for (const attempt of open) {
        const unpaid = await stripe.newSubscriptions.open(attempt.subscriptionId)
        // Paid in the meantime, in another tab or before a crash.
        if (!unpaid) await sync(attempt.subscriptionId)
        // Paid, but Stripe isn't done yet: don't start anything that could be paid as well.
        else if (await stripe.payments.hasPaid(attempt.paymentIntentId)) {
          if (attempt.productId === product.id && attempt.email === email)
            return { ...answer(unpaid), isPaid: true, nonce }
        } else if (!same && isSame(attempt)) same = { attempt, unpaid }
        else replaced.push(attempt.subscriptionId)
      }
      if (!same) {
        await refuseSecond(db, product, user, email)
        if (refusal) throw refusal
      }
      assertPriceShown()
      // Allows one open checkout per account or browser, so a code cannot be used in several.
      for (const subscriptionId of replaced) await cancelUnpaid(subscriptionId)
      if (same) {
        await orders.change(same.attempt.id, { tradingViewUsername, news: wish.news })
        return { ...answer(same.unpaid), nonce }
      }

      const attempt = randomUUID()
      const cookieToken = issued ?? randomToken()
      // A guest who starts again stays the same customer at Stripe.
      const before = open.find((earlier) => earlier.email === email)?.customerId
      const order = { user, email, price, place, code: applied ? applied.code : undefined, before }
      const { clientSecret, amountDue, tax, ...ids } = await subscribe(attempt, order)
      crashPoint('checkout before commit')
      // The browser gets the secret only now, so no one can pay for something we haven't recorded.
      await orders.begin({
        ...isBuyer,
        id: attempt,
        productId: product.id,
        billingType,
        amount,
        codeId: applied ? applied.code.id : null,
        nonceHash: hashToken(cookieToken),
        tradingViewUsername,
        invoiceFooter: stripe.customers.footer(),
        amountDue,
        ip,
        ...placeColumns(place),
        ...newsColumns(wish.news, now()),
        ...ids,
      })
      crashPoint('checkout after commit')
      return { ...answer({ clientSecret, amountDue, tax }), nonce: cookieToken }
    })
  }
}

type Order = {
  user: User | null
  email: string
  price: Price
  place: Place | undefined
  code: Code | undefined
  /** The customer of an earlier attempt. */
  before: string | undefined
}

/** An unpaid subscription at Stripe, with everything it needs there. */
function createSubscribe({ stripe }: Pick<Context, 'stripe'>, { customers, prices, codes }: BeginDeps) {
  /** Recreates, once, whatever was archived or deleted at Stripe. */
  return async function subscribe(attempt: string, order: Order) {
    const { user, email, price, place, code, before } = order
    const own = user ? await customers.ownOf(user.id) : before
    let priceId = await prices.stripeIdOf(price)
    let customerId = own ?? (await createCustomer())
    const at = place && (await customers.addressAt(place, user?.id))
    for (let renewals = 0; renewals <= 3; renewals++) {
      if (at) await stripe.customers.place(customerId, at)
      const wanted = { attempt, customerId, priceId, couponId: code?.id, renewals }
      const begun = await stripe.newSubscriptions.create(wanted)
      if ('clientSecret' in begun) return begun
      if (begun.missing === 'price') priceId = await prices.renew(price)
      else if (begun.missing === 'coupon' && code) await codes.renew(code)
      else customerId = await createCustomer()
    }
    throw new Error(`Stripe does not sell the price ${priceId}`)

    async function createCustomer() {
      const id = await stripe.customers.create({ attempt, email, ...(user ? { name: user.name } : {}) })
      if (user) await customers.copyBillingDetails(id, user.id)
      return id
    }
  }
}

const secondClick = 'Your checkout has just been opened. Please try again.'

/** Compares the shown amount with the amount that Stripe will charge. */
export const discounted = ({ code, charges }: AppliedCode, due: number, at: Date) => ({
  code: code.code,
  worth: describeDiscount(code),
  due,
  charges: describeCharges({ ...charges, today: due }, at),
})

function readPlace(given: BeginInput['place'], ip: string): Place {
  const { country, postalCode = '', vatId = '' } = given ?? {}
  if (!country) throw invalid('country', 'Please choose your country')
  if (needsPostalCode(country) && !postalCode) throw invalid('postalCode', 'Please enter your postal code')
  return { country, postalCode, vatId, ip }
}

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
