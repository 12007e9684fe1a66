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
import { findTerms, storeTerms } from '../terms/terms.ts'
import { type Begin, createBegin, discountOutput } from './begin.ts'
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
  /** Terms in force, if no version is given. */
  terms(version?: string): Promise<TermsText>
  quote(
    actor: Actor<User | null>,
    input: ParsedInputOf<typeof checkout.quote>,
  ): Promise<RawOutputOf<typeof checkout.quote>>
  /** Throws unless the caller's browser or account began the checkout and it is unpaid. */
  agree(actor: Actor<User | null>, nonce: string | undefined, input: { paymentIntentId: string }): Promise<void>
  /** Books the purchase unless a webhook was faster. */
  confirm(actor: Actor, paymentIntentId: string): Promise<'done' | 'not yet'>
  /**
   * The payment intent's id appears in URLs, so only the nonce proves who paid. Works once, and only if this payment created
   * the account. `sessions.begin` refuses it after the account got a password or was handed over.
   */
  authenticateGuest(
    nonce: string | undefined,
    paymentIntentId: string,
  ): Promise<(Authentication & { newNonce: string }) | 'not yet'>
  /** Throws 404 for any browser but the one that began the checkout. */
  showPaidOrder(nonce: string | undefined, paymentIntentId: string): Promise<RawOutputOf<typeof checkout.paid>>
  /** Ends logins by payment in this browser, which someone else may use after the logout. */
  forfeitNonce(nonce: string): Promise<void>
}

type CheckoutDeps = {
  orders: Orders
  customers: Customers
  codes: Codes
  prices: Prices
  purchases: Pick<Purchases, 'findByPayment'>
  subscriptions: Pick<Subscriptions, 'sync' | 'cancelUnpaid'>
}

const replacedSentence =
  'This checkout is no longer open, because you started another one. Please continue there, or start again.'

/** Time after the payment in which it logs its guest in. */
const guestLoginWindowMs = 60 * 60_000

const accountExists = () =>
  new Refusal(403, 'login-required', 'An account with this email exists. Please log in to continue.')
const loginRequired = () => new Refusal(403, 'login-required', 'Please log in to continue. We’ve emailed you how.')

export function createCheckout(context: CheckoutContext, deps: CheckoutDeps): Checkout {
  const { db, now, stripe, catalog, site } = context
  const { orders, purchases } = deps
  const { sync, cancelUnpaid } = deps.subscriptions

  return {
    begin: createBegin(context, { ...deps, sync, cancelUnpaid }),

    terms: (version) => (version ? findTerms(db, version) : storeTerms(db, now(), site)),

    quote: createQuote(context, deps),

    async agree({ user, ip }, nonce, { paymentIntentId }) {
      const order = await orders.findByPayment(paymentIntentId)
      const isTheirs = order?.userId ? order.userId === user?.id : wasBegunWith(nonce, order)
      if (!order || !isTheirs) throw notFound('Checkout')
      if (order.closedAt) throw conflict('changed-meanwhile', replacedSentence)
      const { version } = await storeTerms(db, now(), site)
      await orders.recordAgreement(order.id, { termsVersion: version, ip })
    },

    async confirm({ user }, paymentIntentId) {
      const order = await orders.findByPayment(paymentIntentId)
      // A guest's order has no user until its payment is recorded, which decides whose account it belongs to.
      if (!order || (order.userId && order.userId !== user.id)) throw notFound('Purchase')
      let purchase = await purchases.findByPayment(user.id, paymentIntentId)
      if (!purchase) {
        await sync(order.subscriptionId)
        purchase = await purchases.findByPayment(user.id, paymentIntentId)
      }
      if (purchase) {
        refuseRefunded(purchase)
        return 'done'
      }
      const isTheirs = order.userId ? order.userId === user.id : order.email === user.email
      if (isTheirs && !order.closedAt && (await stripe.payments.hasPaid(paymentIntentId))) return 'not yet'
      throw order.userId ? conflict('not-paid', 'The payment hasn’t been completed yet') : notFound('Purchase')
    },

    async authenticateGuest(nonce, paymentIntentId) {
      const order = await orders.findByPayment(paymentIntentId)
      if (!order || !wasBegunWith(nonce, order)) throw loginRequired()
      if (!order.closedAt) await sync(order.subscriptionId)
      const currentOrder = order.closedAt ? order : await orders.findByPayment(paymentIntentId)
      if (!currentOrder?.closedAt && (await stripe.payments.hasPaid(paymentIntentId))) return 'not yet'

      const [payment] = await db.select().from(payments).where(eq(payments.paymentIntentId, paymentIntentId))
      if (!payment) throw conflict('not-paid', 'The payment hasn’t been completed yet')
      const isPaidInFull = payment.amount === (order.amountDue ?? order.amount)
      const isRecent = payment.paidAt.getTime() >= now().getTime() - guestLoginWindowMs
      if (!currentOrder?.userId || !isPaidInFull || !isRecent) throw loginRequired()
      if (!currentOrder.madeAccount) {
        const { passwordHash } = await personOf(db, currentOrder.userId)
        throw passwordHash ? accountExists() : loginRequired()
      }

      const newNonce = randomToken()
      return {
        newNonce,
        userId: currentOrder.userId,
        passwordHash: null,
        handedOverAt: null,
        provenBy: 'payment',
        refusalIfChanged: accountExists,
        async claim(tx) {
          if (!(await orders.logins.useOnce(tx, order.id))) throw loginRequired()
          // Orders of the browser's other tabs move to the new nonce too, so their checkouts stay open.
          await orders.logins.rotateNonce(tx, hashToken(nonce ?? ''), hashToken(newNonce))
        },
      }
    },

    async showPaidOrder(nonce, paymentIntentId) {
      const order = await orders.findByPayment(paymentIntentId)
      if (!order?.userId || !wasBegunWith(nonce, order)) throw notFound('Purchase')
      const purchase = await purchases.findByPayment(order.userId, paymentIntentId)
      if (!purchase) throw notFound('Purchase')
      refuseRefunded(purchase)
      const { billingType, price, lastPaidAmount, nextAmount, currentPeriodEnd, userId } = purchase
      const { verifiedAt } = await personOf(db, userId)
      const unprovenWayIn = order.madeAccount ? 'first-link' : 'new-link'
      const wayIn: PaidOrder['wayIn'] = verifiedAt ? 'login' : unprovenWayIn
      return {
        product: (await catalog.findRow(purchase.productId)).name,
        billingType,
        paidAmount: lastPaidAmount ?? price,
        nextCharge: currentPeriodEnd && { amount: nextAmount ?? price, at: currentPeriodEnd },
        email: order.email,
        username: order.tradingViewUsername,
        wayIn,
      }
    },

    forfeitNonce: (nonce) => orders.logins.forfeitAll(hashToken(nonce)),
  }
}

function createQuote(
  { catalog, now }: Pick<Context, 'catalog' | 'now'>,
  { prices, codes }: CheckoutDeps,
): Checkout['quote'] {
  return async function quote({ user }, { productSlug, billingType, code }) {
    const product = catalog.productsOnSale().find(({ slug }) => slug === productSlug)
    if (!product) throw notFound('Product')
    const { amount: price } = await prices.current(product.id, billingType)
    const buyer = { userId: user?.id ?? null, email: user?.email ?? null }
    const applied = await codes.apply(code, { productId: product.id, billingType, price, buyer })
    return discountOutput(applied, applied.charges.today ?? price, now())
  }
}

const wasBegunWith = (nonce: string | undefined, order: OrderRow | undefined) =>
  nonce !== undefined && order?.nonceHash === hashToken(nonce)

function refuseRefunded({ endedBecause }: PurchaseRow) {
  if (endedBecause === 'duplicate')
    throw conflict('paid-twice', 'You already have a subscription. We’re refunding this second payment.')
  if (endedBecause === 'code_used_up')
    throw conflict('paid-with-spent-code', 'The code was used up before you paid. We’re refunding your payment.')
  if (endedBecause === 'code_new_only')
    throw conflict('paid-with-spent-code', 'The code is for new customers only. We’re refunding your payment.')
}
