import { randomUUID } from 'node:crypto'
import { and, eq } from 'drizzle-orm'
import { exactDollars } from '#contract/money.ts'
import { type BillingType, planOf, plansWithPrice } from '#contract/plans.ts'
import { declineSentence } from '#contract/selling/declines.ts'
import { hasEnded } from '#contract/statuses.ts'
import type { Actor, User } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import type { Database } from '#server/database/connect.ts'
import { isNewOrder, orders as orderRows, users } from '#server/database/schema.ts'
import { conflict, Refusal } from '#server/errors.ts'
import type { StripeGateway, Subscription } from '#server/gateways/stripe.ts'
import type { Codes } from '../codes/codes.ts'
import { latestPaidPeriod } from '../invoices/invoices.ts'
import type { Orders } from '../orders/orders.ts'
import type { Prices } from '../prices/prices.ts'
import { findPurchase, type PurchaseRow } from '../purchases/purchases.ts'
import { storeTerms } from '../terms/terms.ts'
import { nextAmount, stateOf } from './state.ts'
import type { Sync } from './sync.ts'

type SwitchingDeps = Pick<Context, 'db' | 'now' | 'stripe' | 'catalog' | 'site' | 'crashPoint' | 'runExclusive'> & {
  orders: Pick<Orders, 'switches'>
  prices: Pick<Prices, 'current' | 'stripeIdOf' | 'recreate'>
  codes: Pick<Codes, 'findByCoupons'>
  sync: Sync
}
type SwitchOrder = { at: Date; amount: number }

const minute = 60_000
/** How long an offer is good, and how long the buyer's bank may take. Stripe itself would wait for 23 hours. */
const offerLasts = 10 * minute
const bankTakes = 60 * minute
/** Stripe's minimum charge, in cents. */
const minCharge = 50

const day = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' })
const writeToUs = 'Please write to us, and we’ll switch it for you.'

function obstacle(
  subscription: Subscription,
  purchase: PurchaseRow,
  target: BillingType,
  now: Date,
): Refusal | undefined {
  const { plan, scheduleId, trialEndsAt, dueInvoice, payments, currentPeriodEnd } = subscription
  const { status, isDisputed, endsAt } = stateOf(subscription, purchase.billingType)
  const paid = latestPaidPeriod(subscription)
  if (hasEnded(status))
    return conflict('subscription-ended', 'This subscription has ended. You can buy a new one any time.')
  if (status === 'pending_cancel' || endsAt)
    return conflict('not-active', 'This subscription will end. Please resume it first, then switch.')
  if (status === 'past_due') return conflict('not-paid', 'Please pay the open invoice first.')
  if (status === 'paused')
    return conflict('not-active', 'This subscription is paused. You can switch once it continues.')
  if (isDisputed)
    return conflict('switch-refused', 'A payment is in dispute with your bank. You can switch once that’s settled.')
  if (plan.billing === target) return conflict('switch-refused', `You’re already on the ${target} plan.`)
  if (!plan.billing || plan.months > planOf(target).months || plan.quantity !== 1)
    return conflict('switch-refused', `Your plan was made for you. ${writeToUs}`)
  if (scheduleId) return conflict('switch-refused', `A change of your plan is already scheduled. ${writeToUs}`)
  if (trialEndsAt && trialEndsAt > now)
    return conflict('too-soon', `Your time until ${day.format(trialEndsAt)} is free. You can switch after that.`)
  if (dueInvoice?.status === 'draft' || dueInvoice?.status === 'open')
    return conflict('payment-pending', 'Your renewal is being charged. Please try again in an hour.')
  // Refunded time can't be credited as well.
  const isPaidFor = paid && paid.end >= currentPeriodEnd
  const isRefunded = payments.some(({ invoiceId, refunded }) => invoiceId === paid?.invoiceId && refunded > 0)
  if (!isPaidFor || isRefunded) return conflict('switch-refused', `Your last payment was changed by hand. ${writeToUs}`)
  return undefined
}

/** Refuses while a discount runs that is not offered for the longer plan: Stripe would carry it over. */
async function discountObstacle(
  codes: SwitchingDeps['codes'],
  { discounts, plan }: Subscription,
  target: BillingType,
  now: Date,
): Promise<Refusal | undefined> {
  const running = discounts.filter(({ endsAt }) => !endsAt || endsAt > now)
  const known = await codes.findByCoupons(running.map(({ couponId }) => couponId))
  for (const { couponId, duration, endsAt } of running) {
    const code = known.find(({ id }) => id === couponId)
    const isForOther = code ? code.billingType !== null && code.billingType !== target : duration === 'repeating'
    if (!isForOther) continue
    const forPlan = code?.billingType ?? plan.billing
    const what = code ? `Your code ${code.code}` : 'Your discount'
    return conflict(
      'switch-refused',
      endsAt
        ? `${what} is for the ${forPlan} plan until ${day.format(endsAt)}. You can switch after that.`
        : `Your code is for the ${forPlan} plan only.`,
    )
  }
  return undefined
}

/** Refuses to charge a card that the account's holder did not give: a guest's, or that of a former holder. */
async function assertOwnCard(db: Database, { userId, stripeSubscriptionId, createdAt, cardSavedAt }: PurchaseRow) {
  const [found] = await db
    .select({ madeAccount: orderRows.madeAccount, handedOverAt: users.handedOverAt })
    .from(users)
    .leftJoin(orderRows, and(eq(orderRows.subscriptionId, stripeSubscriptionId ?? ''), isNewOrder))
    .where(eq(users.id, userId))
  const isGuests = found?.madeAccount === false && !cardSavedAt
  const isFormerHolders = found?.handedOverAt && found.handedOverAt > (cardSavedAt ?? createdAt)
  if (isGuests || isFormerHolders)
    throw conflict(
      'card-needed',
      'The card on file was given without logging in, so it may be someone else’s. Save your own card first, then switch.',
    )
}

async function subscriptionOf(stripe: StripeGateway, { stripeSubscriptionId }: PurchaseRow) {
  if (!stripeSubscriptionId)
    throw conflict('booked-by-hand', 'This purchase wasn’t paid through this shop. Please write to us to change it.')
  return stripe.subscriptions.read(stripeSubscriptionId)
}

type Quote = { productId: string; target: BillingType; at: Date }

/** Previews the charge for the longest plan; recreates a price that was archived at Stripe. */
async function previewAt(
  stripe: StripeGateway,
  prices: SwitchingDeps['prices'],
  subscription: Subscription,
  { productId, target, at }: Quote,
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

/** Buyer, product and Stripe ids of a switch order. */
const partiesOf = ({ id: userId, email }: User, { productId }: PurchaseRow, { id, customerId }: Subscription) => ({
  userId,
  email,
  productId,
  subscriptionId: id,
  customerId,
})

type SwitchOffer = Omit<Awaited<ReturnType<typeof previewAt>>, 'priceId' | 'creditLeft'> & {
  at: Date
  unusedDays: number
  nextAmount: number
  card: string | null
}
type SwitchState = { state: 'done' | 'processing'; confirmWith: string | null }

/** Switches to the longest plan now, with credit for unused time. Each is an order that only its payment completes. */
export type Switching = {
  offer(userId: string, id: string): Promise<SwitchOffer>
  /** Charges what the buyer saw, to the cent, or nothing. */
  order(actor: Actor, id: string, order: SwitchOrder): Promise<SwitchState>
  /** Looks at a switch after the bank has asked the buyer, or gives it up. */
  finish(actor: Actor, id: string, giveUp?: boolean): Promise<SwitchState | { state: 'off'; confirmWith: null }>
  /** Drops switches whose buyer has not answered the bank for an hour, so nothing payable is left. */
  giveUpOld(onError: (error: unknown) => void): Promise<void>
}

export function createSwitching(deps: SwitchingDeps): Switching {
  const { db, now, stripe, catalog, site, crashPoint, runExclusive, orders, prices, codes, sync } = deps

  /** The longest plan that the product sells. */
  const targetOf = ({ productId, billingType }: PurchaseRow): BillingType =>
    plansWithPrice(catalog.findById(productId)?.prices ?? {}).at(-1)?.key ?? billingType

  async function offerFor(purchase: PurchaseRow, subscription: Subscription, at: Date) {
    await assertOwnCard(db, purchase)
    const target = targetOf(purchase)
    const refused =
      obstacle(subscription, purchase, target, now()) ?? (await discountObstacle(codes, subscription, target, now()))
    if (refused) throw refused
    if (subscription.taxIsOff)
      throw conflict(
        'switch-refused',
        'The tax on your subscription depends on where you are. Please add your country to your billing details first.',
      )
    if (catalog.productsOnSale().every((product) => product.id !== purchase.productId))
      throw conflict('switch-refused', 'This product is no longer sold. Your subscription stays as it is.')
    const offer = await previewAt(stripe, prices, subscription, { productId: purchase.productId, target, at })
    if (offer.due < minCharge) throw conflict('nothing-due', `You have a credit with us that covers this. ${writeToUs}`)
    return offer
  }

  /** Removes a failed switch with everything payable and its order. */
  async function drop(subscription: Subscription) {
    await stripe.planSwitches.drop(subscription)
    crashPoint('switch dropped')
    await sync(subscription.id)
    await orders.switches.drop(subscription.id)
  }

  /** State of a switch after the charge: done, waiting for the buyer's bank, or off. */
  async function outcome(purchase: PurchaseRow, giveUp: boolean) {
    const subscription = await subscriptionOf(stripe, purchase)
    const open = subscription.openInvoice
    if (subscription.pending && !giveUp) {
      if (open?.confirmWith) return { state: 'processing' as const, confirmWith: open.confirmWith }
      if (open?.isPaying) return { state: 'processing' as const, confirmWith: null }
    }
    if (subscription.pending) await drop(subscription)
    else await sync(subscription.id)
    const { billingType } = await findPurchase(db, purchase.id)
    if (billingType === targetOf(purchase)) return { state: 'done' as const, confirmWith: null }
    if (subscription.pending && !giveUp)
      throw new Refusal(402, 'card-declined', `${open?.refusal ?? declineSentence({})} Nothing has changed.`)
    return { state: 'off' as const, confirmWith: null }
  }

  return {
    async offer(userId, id) {
      const purchase = await findPurchase(db, id, userId)
      const subscription = await subscriptionOf(stripe, purchase)
      const { periodStart, currentPeriodEnd: end } = subscription
      const at = new Date(Math.max(Math.floor(now().getTime() / 1000) * 1000, periodStart.getTime()))
      const { priceId: _, creditLeft, ...offer } = await offerFor(purchase, subscription, at)
      const renewed = {
        ...subscription,
        plan: { ...subscription.plan, price: offer.price },
        credit: creditLeft,
        // A coupon for one invoice is used by the switch itself.
        discounts: subscription.discounts.filter(({ duration }) => duration !== 'once'),
        currentPeriodEnd: offer.renewsAt,
      }
      return {
        ...offer,
        at,
        unusedDays: Math.round((end.getTime() - at.getTime()) / (1440 * minute)),
        nextAmount: nextAmount(renewed),
        card: subscription.card,
      }
    },

    async order({ user, ip }, id, { at, amount }) {
      const { stripeSubscriptionId } = await findPurchase(db, id, user.id)
      return runExclusive(stripeSubscriptionId ?? id, async () => {
        const purchase = await findPurchase(db, id, user.id)
        const subscription = await subscriptionOf(stripe, purchase)
        const isStale = at > now() || at.getTime() < now().getTime() - offerLasts
        if (isStale || at < subscription.periodStart)
          throw conflict('changed-meanwhile', 'This offer is no longer current. Please look again.')
        const { due, price, priceId } = await offerFor(purchase, subscription, at)
        if (due !== amount)
          throw new Refusal(
            409,
            'price-changed',
            `The amount has changed to ${exactDollars(due)}. Please look again.`,
            { amount: due },
          )
        // A second attempt takes the place of one that waits for the bank.
        if (subscription.pending) await drop(subscription)
        const switchId = randomUUID()
        const { version: termsVersion } = await storeTerms(db, now(), site)
        const agreed = { id: switchId, billingType: targetOf(purchase), amount: price, amountDue: due, termsVersion }
        await orders.switches.begin({ ...agreed, ip, ...partiesOf(user, purchase, subscription) })
        crashPoint('switch agreed')
        const current = subscription.pending ? await subscriptionOf(stripe, purchase) : subscription
        await stripe.planSwitches.begin(current, { priceId, at, switchId })
        crashPoint('switched at Stripe')
        const { state, confirmWith } = await outcome(purchase, false)
        if (state === 'off') throw conflict('changed-meanwhile', 'Your subscription has changed. Please look again.')
        return { state, confirmWith }
      })
    },

    async finish({ user }, id, giveUp = false) {
      const purchase = await findPurchase(db, id, user.id)
      return runExclusive(purchase.stripeSubscriptionId ?? id, () => outcome(purchase, giveUp))
    },

    async giveUpOld(onError) {
      for (const id of await orders.switches.listUnpaid(new Date(now().getTime() - bankTakes)))
        await runExclusive(id, async () => drop(await stripe.subscriptions.read(id))).catch(onError)
    },
  }
}
