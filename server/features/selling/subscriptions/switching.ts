import { randomUUID } from 'node:crypto'
import { dayMs } from '#contract/dates.ts'
import { exactDollars } from '#contract/money.ts'
import { type BillingType, plansWithPrice } from '#contract/plans.ts'
import { declineSentence } from '#contract/selling/declines.ts'
import type { Actor, User } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import { conflict, Refusal } from '#server/errors.ts'
import type { StripeGateway, Subscription } from '#server/gateways/stripe.ts'
import type { Codes } from '../codes/codes.ts'
import type { Orders } from '../orders/orders.ts'
import type { Prices } from '../prices/prices.ts'
import { findPurchase, type PurchaseRow } from '../purchases/purchases.ts'
import { storeTerms } from '../terms/terms.ts'
import { nextAmountOf } from './state.ts'
import { assertOwnCard, discountObstacle, subscriptionObstacle, writeToUs } from './switch-obstacles.ts'
import type { Sync } from './sync.ts'

type SwitchingDeps = Pick<Context, 'db' | 'now' | 'stripe' | 'catalog' | 'site' | 'crashPoint' | 'runExclusive'> & {
  orders: Pick<Orders, 'switches'>
  prices: Pick<Prices, 'current' | 'stripeIdOf' | 'recreate'>
  codes: Pick<Codes, 'findByCoupons'>
  sync: Sync
}
type AcceptedOffer = { at: Date; amount: number }

const minuteMs = 60_000
/** Time for the buyer to read and accept an offer, whose amount is computed for one moment. */
const offerValidMs = 10 * minuteMs
/** Time for the buyer to confirm a charge with their bank. Stripe itself would wait for 23 hours. */
const bankConfirmationMs = 60 * minuteMs
/** Stripe's minimum charge, in cents. */
const stripeMinCharge = 50

async function readSubscription(stripe: StripeGateway, { stripeSubscriptionId }: PurchaseRow) {
  if (!stripeSubscriptionId)
    throw conflict('booked-by-hand', 'This purchase wasn’t paid through this shop. Please write to us to change it.')
  return stripe.subscriptions.read(stripeSubscriptionId)
}

type SwitchInput = { productId: string; target: BillingType; at: Date }

async function previewSwitch(
  stripe: StripeGateway,
  prices: SwitchingDeps['prices'],
  subscription: Subscription,
  { productId, target, at }: SwitchInput,
) {
  const price = await prices.current(productId, target)
  let priceId = await prices.stripeIdOf(price)
  let offer = await stripe.planSwitches.preview(subscription, { priceId, at })
  if (offer === 'price is gone') {
    priceId = await prices.recreate(price)
    offer = await stripe.planSwitches.preview(subscription, { priceId, at })
  }
  if (offer === 'price is gone') throw new Error(`Stripe does not sell the price ${priceId}`)
  return { ...offer, billingType: target, price: price.amount, priceId }
}

type SwitchPreview = Awaited<ReturnType<typeof previewSwitch>>

const nextAmountAfterSwitch = (
  subscription: Subscription,
  { price, creditLeft, renewsAt }: Pick<SwitchPreview, 'price' | 'creditLeft' | 'renewsAt'>,
) =>
  nextAmountOf({
    ...subscription,
    plan: { ...subscription.plan, price },
    credit: creditLeft,
    // A coupon for one invoice is used by the switch itself.
    discounts: subscription.discounts.filter(({ duration }) => duration !== 'once'),
    currentPeriodEnd: renewsAt,
  })

const orderColumns = ({ id: userId, email }: User, { productId }: PurchaseRow, { id, customerId }: Subscription) => ({
  userId,
  email,
  productId,
  subscriptionId: id,
  customerId,
})

type SwitchOffer = Omit<SwitchPreview, 'priceId' | 'creditLeft'> & {
  at: Date
  unusedDays: number
  nextAmount: number
  card: string | null
}
type SwitchState = { state: 'done' | 'processing'; confirmWith: string | null }

/** Immediate switches to the product's longest plan, with credit for unused time. Each is an order. */
export type Switching = {
  /** Throws 409 or 402 if the subscription can't be switched. */
  offer(userId: string, id: string): Promise<SwitchOffer>
  /** Charges exactly the amount that the buyer saw, or throws 409. */
  order(actor: Actor, id: string, offer: AcceptedOffer): Promise<SwitchState>
  /** Called after the buyer's confirmation with their bank. Drops the switch with `giveUp`. */
  finish(actor: Actor, id: string, giveUp?: boolean): Promise<SwitchState | { state: 'off'; confirmWith: null }>
  /** Drops switches that wait for the buyer's bank for an hour, so that they can't be paid later. */
  dropAbandoned(onError: (error: unknown) => void): Promise<void>
}

export function createSwitching(deps: SwitchingDeps): Switching {
  const { db, now, stripe, catalog, site, crashPoint, runExclusive, orders, prices, codes, sync } = deps

  function longestPlanOf({ productId, billingType }: PurchaseRow): BillingType {
    const product = catalog.findById(productId)
    // Plans are in the order of their length.
    const longestPlan = plansWithPrice(product?.prices ?? {}).at(-1)
    return longestPlan?.key ?? billingType
  }

  async function offerAt(purchase: PurchaseRow, subscription: Subscription, at: Date) {
    await assertOwnCard(db, purchase)
    const target = longestPlanOf(purchase)
    const refusal =
      subscriptionObstacle(subscription, purchase, target, now()) ??
      (await discountObstacle(codes, subscription, target, now()))
    if (refusal) throw refusal
    if (subscription.taxIsOff)
      throw conflict(
        'switch-refused',
        'The tax on your subscription depends on where you are. Please add your country to your billing details first.',
      )
    const isOnSale = catalog.productsOnSale().some(({ id }) => id === purchase.productId)
    if (!isOnSale) throw conflict('switch-refused', 'This product is no longer sold. Your subscription stays as it is.')
    const offer = await previewSwitch(stripe, prices, subscription, { productId: purchase.productId, target, at })
    if (offer.due < stripeMinCharge)
      throw conflict('nothing-due', `You have a credit with us that covers this. ${writeToUs}`)
    return offer
  }

  async function drop(subscription: Subscription) {
    await stripe.planSwitches.drop(subscription)
    crashPoint('switch dropped')
    await sync(subscription.id)
    await orders.switches.drop(subscription.id)
  }

  /** Drops a failed switch, or any unfinished one with `giveUp`. Throws 402 if the card was declined. */
  async function settleSwitch(purchase: PurchaseRow, { giveUp }: { giveUp: boolean }) {
    const subscription = await readSubscription(stripe, purchase)
    const { openInvoice } = subscription
    if (subscription.pending && !giveUp) {
      if (openInvoice?.confirmWith) return { state: 'processing' as const, confirmWith: openInvoice.confirmWith }
      if (openInvoice?.isPaying) return { state: 'processing' as const, confirmWith: null }
    }

    if (subscription.pending) await drop(subscription)
    else await sync(subscription.id)
    const { billingType } = await findPurchase(db, purchase.id)
    const hasSwitched = billingType === longestPlanOf(purchase)
    if (hasSwitched) return { state: 'done' as const, confirmWith: null }
    if (subscription.pending && !giveUp)
      throw new Refusal(402, 'card-declined', `${openInvoice?.refusal ?? declineSentence({})} Nothing has changed.`)
    return { state: 'off' as const, confirmWith: null }
  }

  return {
    async offer(userId, id) {
      const purchase = await findPurchase(db, id, userId)
      const subscription = await readSubscription(stripe, purchase)
      const { periodStart, currentPeriodEnd } = subscription
      // Stripe prorates by whole seconds, within the present period.
      const presentSecondMs = Math.floor(now().getTime() / 1000) * 1000
      const at = new Date(Math.max(presentSecondMs, periodStart.getTime()))
      const { priceId: _, creditLeft, ...offer } = await offerAt(purchase, subscription, at)
      return {
        ...offer,
        at,
        unusedDays: Math.round((currentPeriodEnd.getTime() - at.getTime()) / dayMs),
        nextAmount: nextAmountAfterSwitch(subscription, { ...offer, creditLeft }),
        card: subscription.card,
      }
    },

    async order({ user, ip }, id, { at, amount }) {
      const { stripeSubscriptionId } = await findPurchase(db, id, user.id)
      return runExclusive(stripeSubscriptionId ?? id, async () => {
        const purchase = await findPurchase(db, id, user.id)
        const subscription = await readSubscription(stripe, purchase)
        const isExpired = at.getTime() < now().getTime() - offerValidMs
        if (isExpired || at > now() || at < subscription.periodStart)
          throw conflict('changed-meanwhile', 'This offer is no longer current. Please look again.')
        const { due, price, priceId } = await offerAt(purchase, subscription, at)
        if (due !== amount)
          throw new Refusal(
            409,
            'price-changed',
            `The amount has changed to ${exactDollars(due)}. Please look again.`,
            { amount: due },
          )

        // A second attempt replaces one that waits for the bank.
        if (subscription.pending) await drop(subscription)
        const switchId = randomUUID()
        const { version: termsVersion } = await storeTerms(db, now(), site)
        await orders.switches.begin({
          ...orderColumns(user, purchase, subscription),
          id: switchId,
          billingType: longestPlanOf(purchase),
          amount: price,
          amountDue: due,
          termsVersion,
          ip,
        })
        crashPoint('switch agreed')

        const current = subscription.pending ? await readSubscription(stripe, purchase) : subscription
        await stripe.planSwitches.begin(current, { priceId, at, switchId })
        crashPoint('switched at Stripe')
        const { state, confirmWith } = await settleSwitch(purchase, { giveUp: false })
        if (state === 'off') throw conflict('changed-meanwhile', 'Your subscription has changed. Please look again.')
        return { state, confirmWith }
      })
    },

    async finish({ user }, id, giveUp = false) {
      const purchase = await findPurchase(db, id, user.id)
      return runExclusive(purchase.stripeSubscriptionId ?? id, () => settleSwitch(purchase, { giveUp }))
    },

    async dropAbandoned(onError) {
      const orderedBefore = new Date(now().getTime() - bankConfirmationMs)
      for (const id of await orders.switches.listUnpaid(orderedBefore))
        await runExclusive(id, async () => drop(await stripe.subscriptions.read(id))).catch(onError)
    },
  }
}
