import { eq } from 'drizzle-orm'
import type { ParsedInputOf, RawOutputOf } from '#contract/endpoint.ts'
import type { checkout, PaidOrder } from '#contract/selling/checkout.ts'
import type { Actor, User } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import { personOf } from '#server/database/people.ts'
import { payments } from '#server/database/schema.ts'
import { conflict, notFound, Refusal } from '#server/errors.ts'
import type { Authentication } from '#server/features/identity/sessions/sessions.ts'
import { hashToken, randomToken } from '#server/security/tokens.ts'
import type { Codes } from '../codes/codes.ts'
import type { OrderRow, Orders } from '../orders/orders.ts'
import type { Prices } from '../prices/prices.ts'
import type { PurchaseRow, Purchases } from '../purchases/purchases.ts'
import type { Subscriptions } from '../subscriptions/subscriptions.ts'
import type { TermsText } from '../terms/terms.ts'
import { storeTerms, termsOf } from '../terms/terms.ts'
import { type Begin, createBegin, discounted } from './begin.ts'
import type { Customers } from './stripe-customers.ts'

export { type Customers, createCustomers } from './stripe-customers.ts'

type CheckoutContext = Pick<
  Context,
  | 'attempts'
  | 'catalog'
  | 'config'
  | 'crashPoint'
  | 'db'
  | 'now'
  | 'refuseShopAddress'
  | 'runExclusive'
  | 'site'
  | 'stripe'
>

export type Checkout = {
  begin: Begin
  /** Terms in force, or of an order's version. */
  terms(version?: string): Promise<TermsText>
  quote(
    actor: Actor<User | null>,
    input: ParsedInputOf<typeof checkout.quote>,
  ): Promise<RawOutputOf<typeof checkout.quote>>
  /** Records consent. Throws unless the caller's browser or account started the checkout and it is unpaid. */
  agree(actor: Actor<User | null>, nonce: string | undefined, input: { paymentIntentId: string }): Promise<void>
  /** Asks Stripe about a payment that the browser reports, and books the purchase unless a webhook was faster. */
  confirm(actor: Actor, paymentIntentId: string): Promise<'done' | 'not yet'>
  /**
   * The account to log a guest in to. A payment intent's id travels in URLs and proves nothing: it must be the browser
   * that started the checkout, and this very payment, made recently, must have created the account. It works once, only
   * after Stripe is done with the subscription, and never for an account that has since been given a password or handed
   * over; `sessions.begin` makes the final check. After it, other tabs of this browser keep their checkouts under the new
   * nonce, and a copy of the old one is worthless.
   */
  loginOfGuest(
    nonce: string | undefined,
    paymentIntentId: string,
  ): Promise<(Authentication & { newNonce: string }) | 'not yet'>
  /** The order, for the browser that paid it but is not logged in, with how its owner logs in. */
  paid(nonce: string | undefined, paymentIntentId: string): Promise<RawOutputOf<typeof checkout.paid>>
  /** At logout, because the next person at this browser may be someone else. */
  forfeitNonce(nonce: string): Promise<void>
}

type CheckoutDeps = {
  orders: Orders
  customers: Customers
  codes: Codes
  prices: Prices
  purchases: Pick<Purchases, 'ofPaymentIntent'>
  subscriptions: Pick<Subscriptions, 'sync' | 'cancelUnpaid'>
}

const replaced =
  'This checkout is no longer open, because you started another one. Please continue there, or start again.'

const loginWindow = 60 * 60_000

const accountExists = () =>
  new Refusal(403, 'login-required', 'An account with this email exists. Please log in to continue.')
const pleaseLogIn = () => new Refusal(403, 'login-required', 'Please log in to continue. We’ve emailed you how.')

export function createCheckout(context: CheckoutContext, deps: CheckoutDeps): Checkout {
  const { db, now, stripe, catalog, site } = context
  const { orders, purchases } = deps
  const { sync, cancelUnpaid } = deps.subscriptions

  return {
    begin: createBegin(context, { ...deps, sync, cancelUnpaid }),

    terms: (version) => (version ? termsOf(db, version) : storeTerms(db, now(), site)),

    quote: createQuote(context, deps),

    async agree({ user, ip }, nonce, { paymentIntentId }) {
      const begun = await orders.ofPayment(paymentIntentId)
      const isTheirs = begun?.userId ? begun.userId === user?.id : isBegunWith(nonce, begun)
      if (!begun || !isTheirs) throw notFound('Checkout')
      if (begun.closedAt) throw conflict('changed-meanwhile', replaced)
      const { version } = await storeTerms(db, now(), site)
      await orders.recordAgreement(begun.id, { termsVersion: version, ip })
    },

    async confirm({ user }, paymentIntentId) {
      const checkout = await orders.ofPayment(paymentIntentId)
      // A guest's checkout has no user yet: booking decides whose it is, not the caller.
      if (!checkout || (checkout.userId && checkout.userId !== user.id)) throw notFound('Purchase')
      const find = () => purchases.ofPaymentIntent(user.id, paymentIntentId)
      const purchase = (await find()) ?? (await sync(checkout.subscriptionId).then(find))
      if (purchase) {
        refuseRefunded(purchase)
        return 'done'
      }
      const isTheirs = checkout.userId === user.id || (!checkout.userId && checkout.email === user.email)
      if (isTheirs && !checkout.closedAt && (await stripe.payments.hasPaid(paymentIntentId))) return 'not yet'
      throw checkout.userId ? conflict('not-paid', 'The payment hasn’t been completed yet') : notFound('Purchase')
    },

    async loginOfGuest(nonce, paymentIntentId) {
      const begun = await orders.ofPayment(paymentIntentId)
      if (!begun || !isBegunWith(nonce, begun)) throw pleaseLogIn()
      const find = () => orders.ofPayment(paymentIntentId)
      const booked = begun.closedAt ? begun : await sync(begun.subscriptionId).then(find)
      if (!booked?.closedAt && (await stripe.payments.hasPaid(paymentIntentId))) return 'not yet'
      const [payment] = await db.select().from(payments).where(eq(payments.paymentIntentId, paymentIntentId))
      if (!payment) throw conflict('not-paid', 'The payment hasn’t been completed yet')
      const amountDue = begun.amountDue ?? begun.amount
      const isRecent = payment.paidAt.getTime() >= now().getTime() - loginWindow
      if (!booked?.userId || payment.amount !== amountDue || !isRecent) throw pleaseLogIn()
      if (!booked.madeAccount) throw (await personOf(db, booked.userId)).passwordHash ? accountExists() : pleaseLogIn()
      const newNonce = randomToken()
      return {
        newNonce,
        userId: booked.userId,
        passwordHash: null,
        handedOverAt: null,
        provenBy: 'payment',
        refusal: accountExists,
        async claim(tx) {
          if (!(await orders.logins.use(tx, begun.id))) throw pleaseLogIn()
          await orders.logins.rotateNonce(tx, hashToken(nonce ?? ''), hashToken(newNonce))
        },
      }
    },

    async paid(nonce, paymentIntentId) {
      const begun = await orders.ofPayment(paymentIntentId)
      const purchase =
        begun?.userId && isBegunWith(nonce, begun)
          ? await purchases.ofPaymentIntent(begun.userId, paymentIntentId)
          : undefined
      if (!begun || !purchase) throw notFound('Purchase')
      refuseRefunded(purchase)
      const { billingType, price, lastPaidAmount, nextAmount, currentPeriodEnd, userId } = purchase
      const { verifiedAt } = await personOf(db, userId)
      const wayIn: PaidOrder['wayIn'] = verifiedAt ? 'login' : begun.madeAccount ? 'first-link' : 'new-link'
      return {
        product: (await catalog.named(purchase.productId)).name,
        billingType,
        paidAmount: lastPaidAmount ?? price,
        nextCharge: currentPeriodEnd && { amount: nextAmount ?? price, at: currentPeriodEnd },
        email: begun.email,
        username: begun.tradingViewUsername,
        wayIn,
      }
    },

    forfeitNonce: (nonce) => orders.logins.forfeit(hashToken(nonce)),
  }
}

const createQuote =
  ({ catalog, now }: Pick<Context, 'catalog' | 'now'>, { prices, codes }: CheckoutDeps): Checkout['quote'] =>
  async ({ user }, { productSlug, billingType, code }) => {
    const product = catalog.onSale().find(({ slug }) => slug === productSlug)
    if (!product) throw notFound('Product')
    const { amount: price } = await prices.of(product.id, billingType)
    const buyer = { userId: user?.id ?? null, email: user?.email ?? null }
    const applied = await codes.apply(code, { productId: product.id, billingType, price, buyer })
    return discounted(applied, applied.charges.today ?? price, now())
  }

const isBegunWith = (nonce: string | undefined, begun: OrderRow | undefined) =>
  nonce !== undefined && begun?.nonceHash === hashToken(nonce)

function refuseRefunded({ endedBecause }: PurchaseRow) {
  if (endedBecause === 'duplicate')
    throw conflict('paid-twice', 'You already have a subscription. We’re refunding this second payment.')
  if (endedBecause === 'code_used_up')
    throw conflict('paid-with-spent-code', 'The code was used up before you paid. We’re refunding your payment.')
  if (endedBecause === 'code_new_only')
    throw conflict('paid-with-spent-code', 'The code is for new customers only. We’re refunding your payment.')
}
