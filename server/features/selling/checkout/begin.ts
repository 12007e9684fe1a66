import { randomUUID } from 'node:crypto'
import { and, eq } from 'drizzle-orm'
import type { ParsedInputOf, RawOutputOf } from '#contract/endpoint.ts'
import { exactDollars } from '#contract/money.ts'
import { describeCharges, describeDiscount } from '#contract/selling/charges.ts'
import type { checkout } from '#contract/selling/checkout.ts'
import { parseUsername } from '#contract/tradingview-name.ts'
import type { Actor, User } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import type { Database } from '#server/database/connect.ts'
import { isOngoingPurchase, purchases, users } from '#server/database/schema.ts'
import { conflict, invalid, notFound, Refusal } from '#server/errors.ts'
import type { Tax } from '#server/gateways/stripe.ts'
import { hashToken, randomToken } from '#server/security/tokens.ts'
import type { Product } from '../catalog/catalog.ts'
import type { AppliedCode, Code, Codes, OrderDraft } from '../codes/codes.ts'
import { isTaxedFor, newsColumns, type OpenOrder, type Orders, placeColumns } from '../orders/orders.ts'
import type { Price, Prices } from '../prices/prices.ts'
import type { Customers } from './stripe-customers.ts'
import type { OrderPlace } from './tax-place.ts'

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

export type Begin = (
  actor: Actor<User | null>,
  nonce: string | undefined,
  input: BeginInput,
) => Promise<RawOutputOf<typeof checkout.createSubscriptionIntent> & { nonce: string | undefined }>

type UnpaidSubscription = { clientSecret: string; amountDue: number; tax: Tax | null }
type OrderComparison = {
  /** True if the open order can be continued as it is. */
  isSameOrder(order: OpenOrder): boolean
  /** True for the same product and buyer. */
  isForSamePurchase(order: OpenOrder): boolean
}
type BeginInput = ParsedInputOf<typeof checkout.createSubscriptionIntent>

export function createBegin(context: BeginContext, deps: BeginDeps): Begin {
  const { db, now, stripe, config, catalog, attempts, refuseShopAddress, crashPoint, runExclusive } = context
  const { orders, customers, codes, prices, sync, cancelUnpaid } = deps
  const subscribe = createSubscribe(context, deps)
  const needsPlace = config.tax.mode === 'stripe'

  /** A reload, the back button or a double click returns to the open order. The nonce proves which browser began it. */
  return async function begin(actor, nonce, input) {
    const { user, ip, userAgent } = actor
    const product = catalog.productsOnSale().find(({ slug }) => slug === input.productSlug)
    if (!product) throw notFound('Product')
    const email = user?.email ?? input.email
    if (!email) throw invalid('email', 'Please enter your email to continue')
    if (!user) {
      await attempts.countAddressLookup(ip, email)
      refuseShopAddress(email)
    }
    const findPlace = async () => (needsPlace ? customers.findPlace(user?.id, input.place, ip) : undefined)
    const placeBefore = await findPlace()
    const { billingType } = input
    const parsedUsername = parseUsername(input.tradingViewUsername ?? '')
    const tradingViewUsername = 'username' in parsedUsername ? parsedUsername.username : null
    const price = await prices.current(product.id, billingType)
    const { amount } = price

    const buyer = { userId: user?.id ?? null, email }
    // A double click waits for the first one. Without a cookie, network, browser and address tell visitors apart.
    const lockName = user?.id ?? nonce ?? `${ip} ${userAgent} ${email}`
    return runExclusive(`checkout ${lockName}`, async (hadToWait) => {
      // A nonce that the shop issued stays the same in all tabs; one that a stranger planted is replaced.
      const isIssued = nonce !== undefined && (await orders.logins.hasNonce(hashToken(nonce)))
      const issuedNonce = isIssued ? nonce : undefined
      // The second click of a new browser: the nonce is in the response to the first, and must not be given out twice.
      if (hadToWait && !user && !issuedNonce) throw conflict('changed-meanwhile', secondClickSentence)
      const openOrders = await listOpenOrders(user, issuedNonce)

      // A refused code is reported only after the open orders were checked, because one may be paid already.
      const orderDraft = { productId: product.id, billingType, price: amount, buyer }
      const { applied, refusal } = await tryCode(codes, input.code, orderDraft)
      const isForSamePurchase = (order: OpenOrder) => order.productId === product.id && order.email === email
      const isSameOrder = (order: OpenOrder) =>
        !refusal &&
        isForSamePurchase(order) &&
        order.billingType === billingType &&
        order.amount === amount &&
        order.codeId === (applied?.code.id ?? null) &&
        (!placeBefore || isTaxedFor(order, placeBefore))
      const outputOf = ({ clientSecret, amountDue, tax }: UnpaidSubscription) => ({
        clientSecret,
        isPaid: false,
        amountDue,
        tax: tax ?? undefined,
        discount: applied && discountOutput(applied, amountDue, now()),
      })

      const comparison = { isSameOrder, isForSamePurchase }
      const { paid, reusable, replacedSubscriptions } = await checkOpenOrders({ stripe, sync }, openOrders, comparison)
      if (paid) return { ...outputOf(paid), isPaid: true, nonce }
      if (!reusable) {
        await refuseSecondSubscription(db, product, user, email)
        if (refusal) throw refusal
      }
      const isPriceShown = input.amount === undefined || input.amount === amount
      if (!isPriceShown)
        throw new Refusal(409, 'price-changed', `The price has changed to ${exactDollars(amount)}`, { amount })
      // Leaves one open checkout per account or browser, so that a code can't be used in several.
      for (const subscriptionId of replacedSubscriptions) await cancelUnpaid(subscriptionId)
      if (reusable) {
        await orders.updateUnpaid(reusable.order.id, { tradingViewUsername, news: input.news })
        return { ...outputOf(reusable.subscription), nonce }
      }

      // Read again, because an open order may have turned out to be paid, and its subscription decides the place.
      const place = await findPlace()
      const orderId = randomUUID()
      const orderNonce = issuedNonce ?? randomToken()
      // A guest who starts again stays the same customer at Stripe.
      const earlierCustomerId = openOrders.find((earlier) => earlier.email === email)?.customerId
      const { clientSecret, amountDue, tax, ...ids } = await subscribe(orderId, {
        user,
        email,
        price,
        place,
        code: applied?.code,
        earlierCustomerId,
      })
      crashPoint('checkout before commit')
      // Stored before the browser gets the client secret, so that nobody can pay for an order that isn't recorded.
      await orders.begin({
        ...buyer,
        id: orderId,
        productId: product.id,
        billingType,
        amount,
        codeId: applied?.code.id ?? null,
        nonceHash: hashToken(orderNonce),
        tradingViewUsername,
        invoiceFooter: stripe.customers.footer(),
        amountDue,
        ip,
        ...placeColumns(place),
        ...newsColumns(input.news, now()),
        ...ids,
      })
      crashPoint('checkout after commit')
      return { ...outputOf({ clientSecret, amountDue, tax }), nonce: orderNonce }
    })
  }

  async function listOpenOrders(user: User | null, nonce: string | undefined): Promise<OpenOrder[]> {
    if (user) return orders.listOpen({ userId: user.id })
    return nonce ? orders.listOpen({ nonceHash: hashToken(nonce) }) : []
  }
}

/** Decides about the buyer's open orders: one may be continued, the others are replaced. */
async function checkOpenOrders(
  { stripe, sync }: Pick<Context, 'stripe'> & Pick<BeginDeps, 'sync'>,
  openOrders: OpenOrder[],
  { isSameOrder, isForSamePurchase }: OrderComparison,
) {
  const replacedSubscriptions: string[] = []
  let reusable: { order: OpenOrder; subscription: UnpaidSubscription } | undefined
  for (const order of openOrders) {
    const subscription = await stripe.newSubscriptions.open(order.subscriptionId)
    if (!subscription) {
      // It was paid meanwhile, in another tab or before a crash.
      await sync(order.subscriptionId)
    } else if (await stripe.payments.hasPaid(order.paymentIntentId)) {
      // Stripe hasn't activated the paid subscription yet, so a second order could be paid as well.
      if (isForSamePurchase(order)) return { paid: subscription }
    } else if (!reusable && isSameOrder(order)) {
      reusable = { order, subscription }
    } else {
      replacedSubscriptions.push(order.subscriptionId)
    }
  }
  return { reusable, replacedSubscriptions }
}

type SubscriptionInput = {
  user: User | null
  email: string
  price: Price
  place: OrderPlace | undefined
  code: Code | undefined
  earlierCustomerId: string | undefined
}

function createSubscribe({ stripe }: Pick<Context, 'stripe'>, { customers, prices, codes }: BeginDeps) {
  return async function subscribe(orderId: string, input: SubscriptionInput) {
    const { user, email, price, place, code, earlierCustomerId } = input
    const existingCustomerId = user ? await customers.ownCustomerOf(user.id) : earlierCustomerId
    let priceId = await prices.stripeIdOf(price)
    let customerId = existingCustomerId ?? (await createCustomer())
    // Price, coupon and customer may each be missing at Stripe and are recreated, which takes up to three retries.
    for (let recreatedObjects = 0; recreatedObjects <= 3; recreatedObjects++) {
      // The VAT ID at Stripe is in use with the place, and the seller may have changed it there.
      if (place)
        await stripe.customers.setPlace(customerId, { ...place, vatId: place.isInUse ? undefined : place.vatId })
      const result = await stripe.newSubscriptions.create({
        attempt: orderId,
        customerId,
        priceId,
        couponId: code?.id,
        recreatedObjects,
      })
      if ('clientSecret' in result) return result
      if (result.missing === 'price') priceId = await prices.recreate(price)
      else if (result.missing === 'coupon' && code) await codes.recreateCoupon(code)
      else customerId = await createCustomer()
    }
    throw new Error(`Stripe does not sell the price ${priceId}`)

    async function createCustomer() {
      const id = await stripe.customers.create({ attempt: orderId, email, ...(user ? { name: user.name } : {}) })
      if (user) await customers.copyBillingDetails(id, user.id)
      return id
    }
  }
}

const secondClickSentence = 'Your checkout has just been opened. Please try again.'

async function tryCode(
  codes: Codes,
  typedCode: string | undefined,
  order: OrderDraft,
): Promise<{ applied?: AppliedCode; refusal?: Refusal }> {
  if (!typedCode) return {}
  try {
    return { applied: await codes.apply(typedCode, order) }
  } catch (error) {
    if (error instanceof Refusal) return { refusal: error }
    throw error
  }
}

/** `due` is today's charge: Stripe's amount, or the shop's own estimate before there is a subscription. */
export const discountOutput = ({ code, charges }: AppliedCode, due: number, at: Date) => ({
  code: code.code,
  worth: describeDiscount(code),
  due,
  charges: describeCharges({ ...charges, today: due }, at),
})

async function refuseSecondSubscription(db: Database, product: Product, user: User | null, email: string) {
  const isBuyer = user ? eq(users.id, user.id) : eq(users.email, email)
  const [ongoingPurchase] = await db
    .select({ id: purchases.id })
    .from(purchases)
    .innerJoin(users, eq(users.id, purchases.userId))
    .where(and(isBuyer, eq(purchases.productId, product.id), isOngoingPurchase))
    .limit(1)
  if (!ongoingPurchase) return
  throw conflict(
    'already-subscribed',
    user
      ? `You already have a subscription to ${product.name}. You can manage it on your dashboard.`
      : `There is already a subscription to ${product.name} for this email. Please log in to manage it.`,
  )
}
