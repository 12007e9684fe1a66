import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { checkout } from '#contract/selling/checkout.ts'
import { purchases } from '#contract/selling/purchases.ts'
import type { BillingType } from '#contract/statuses.ts'
import { reboundSigmaPro } from './book-purchase.ts'
import type { Visitor } from './visitor.ts'

type PaidIntent = { paymentIntentId: string }
type BegunCheckout = PaidIntent & { clientSecret: string }

type CheckoutInput = {
  product?: string
  billing?: BillingType
  code?: string | undefined
  email?: string
  tradingViewUsername?: string
  news?: { version: string; objects?: boolean }
}

async function begin(
  visitor: Visitor,
  { product = reboundSigmaPro.slug, billing = 'monthly', ...optionalFields }: CheckoutInput = {},
): Promise<BegunCheckout> {
  const { clientSecret } = await visitor.call(checkout.createSubscriptionIntent, {
    productSlug: product,
    billingType: billing,
    ...optionalFields,
  })
  return { clientSecret, paymentIntentId: intentIdOf(clientSecret) }
}

/** Stripe's client secrets begin with the id of their intent. */
export const intentIdOf = (clientSecret: string) => clientSecret.split('_secret_')[0] ?? ''

type BuyerDeps = { url: string; publishableKey: () => string; finishPayments?: () => Promise<unknown> }

/** Make the same calls as a browser, and send test cards directly to the sandbox. */
export function createBuyers({ url, publishableKey, finishPayments = () => setTimeout(200) }: BuyerDeps) {
  async function confirm(kind: 'payment_intents' | 'setup_intents', clientSecret: string, card: string) {
    const id = intentIdOf(clientSecret)
    const response = await fetch(`${url}/_sandbox/v1/${kind}/${id}/confirm`, {
      method: 'POST',
      headers: { authorization: `Bearer ${publishableKey()}` },
      body: new URLSearchParams({ client_secret: clientSecret, payment_method: card }),
    })
    const { error, status }: { error?: { message: string }; status?: string } = await response.json()
    return { id, outcome: error ? error.message : status }
  }

  const pay = async ({ clientSecret }: BegunCheckout, card = 'pm_card_visa') =>
    (await confirm('payment_intents', clientSecret, card)).outcome

  const storeCard = async (clientSecret: string, card: string) =>
    (await confirm('setup_intents', clientSecret, card)).id

  async function untilDone(isDone: () => Promise<boolean>) {
    while (!(await isDone())) await finishPayments()
  }

  const confirmPurchase = (visitor: Visitor, { paymentIntentId }: PaidIntent) =>
    untilDone(() => visitor.callAndCheckDone(checkout.confirm, { paymentIntentId }))

  const logInGuest = (visitor: Visitor, { paymentIntentId }: PaidIntent) =>
    untilDone(() => visitor.callAndCheckDone(checkout.guestPurchaseLogin, { paymentIntentId }))

  async function guest(visitor: Visitor, email = `guest-${randomUUID()}@example.com`) {
    const begun = await begin(visitor, { email })
    await pay(begun)
    return { email, ...begun }
  }

  async function changeCard(visitor: Visitor, id: string, card: string) {
    const { clientSecret } = await visitor.call(purchases.beginCardUpdate, { id })
    const setupIntentId = await storeCard(clientSecret, card)
    return visitor.call(purchases.finishCardUpdate, { id, setupIntentId })
  }

  /** `laterCard` replaces the card that paid. */
  async function buy(
    visitor: Visitor,
    { card, laterCard, ...input }: Omit<CheckoutInput, 'email'> & { card?: string; laterCard?: string } = {},
  ) {
    const begun = await begin(visitor, input)
    await pay(begun, card)
    await finishPayments()
    await confirmPurchase(visitor, begun)
    const ownPurchases = await visitor.call(purchases.list, {})
    const purchase = ownPurchases.find(({ paymentIntentId }) => paymentIntentId === begun.paymentIntentId)
    if (!purchase) throw new Error('The purchase was not booked')
    if (laterCard) await changeCard(visitor, purchase.id, laterCard)
    return purchase
  }

  return { begin, pay, storeCard, changeCard, guest, confirmPurchase, logInGuest, buy }
}
