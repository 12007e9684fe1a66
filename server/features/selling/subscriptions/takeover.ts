import { randomUUID } from 'node:crypto'
import * as z from 'zod/mini'
import { email as emailField } from '#contract/fields.ts'
import { personName } from '#contract/person-name.ts'
import { type BillingType, billingTypes, type ImportVerdictKind } from '#contract/statuses.ts'
import type { Actor } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import { conflict, notFound, Refusal } from '#server/errors.ts'
import type { Accounts } from '#server/features/identity/accounts/accounts.ts'
import type { ExistingSubscription, StripeGateway, Subscription } from '#server/gateways/stripe.ts'
import { reversalOf } from '../invoices/invoices.ts'
import type { Orders } from '../orders/orders.ts'
import { type AccessEffects, graceEnd } from '../purchases/purchases.ts'
import { lockBuyer, recordPurchase } from './apply.ts'
import { hasOtherPurchase } from './decide-changes.ts'
import { isUnpaidAttempt, stateOf } from './state.ts'
import type { Sync } from './sync.ts'

type TakeoverDeps = Pick<
  Context,
  'db' | 'now' | 'stripe' | 'audit' | 'queue' | 'mails' | 'refuseShopAddress' | 'catalog' | 'config'
> & { accounts: Pick<Accounts, 'guests'>; orders: Orders; access: Pick<AccessEffects, 'purchasesChanged'>; sync: Sync }
type ProductPlan = { productId: string; billingType: BillingType }
type Verdict = { verdict: ImportVerdictKind; message: string }

type ListedPrice = Omit<Awaited<ReturnType<StripeGateway['existing']['price']>>, 'billing' | 'plan'> & {
  billingType: BillingType | null
  plan: ProductPlan | null
  /** True for a price that another shop on this Stripe account sells. */
  isOther: boolean
}
type TakeoverResult = Verdict & { id: string }

/** Imports subscriptions that the shop didn't create. Their price, card and dates stay unchanged. */
export type Takeover = {
  list(): Promise<{ prices: ListedPrice[]; subscriptions: (ExistingSubscription & { obstacle: string | null })[] }>
  /** Stores at Stripe which plan a price belongs to; null if another shop sells it. */
  setPlan(actor: Actor, id: string, plan: ProductPlan | null): Promise<void>
  takeOver(actor: Actor, ids: string[], invite: boolean): Promise<TakeoverResult[]>
}

/** Stored at Stripe in place of a plan. */
const soldElsewhere = 'other'

export function createTakeover(deps: TakeoverDeps): Takeover {
  const { db, now, stripe, audit, queue, mails, refuseShopAddress, catalog, config } = deps
  const { accounts, orders, access, sync } = deps

  /** Syncs once more, because events that arrived before the takeover were ignored. */
  const syncAfterTakeover = queue.defineJob<{ subscriptionId: string }>('follow-taken-over', ({ subscriptionId }) =>
    sync(subscriptionId),
  )

  async function takeOverOne(actor: Actor, id: string, invite: boolean): Promise<Verdict> {
    const existing = await stripe.existing.find(id)
    if (!existing) throw notFound('Subscription')
    const plan = parsePlan(catalog, (await stripe.existing.price(existing.priceId)).plan)
    if (!plan) return fault('Please say first which plan its price is.')
    const obstacle = obstacleTo(existing)
    if (obstacle) return fault(obstacle)
    const email = z.parse(emailField, existing.email)
    refuseShopAddress(email)
    const subscription = await stripe.subscriptions.read(id)
    const state = stateOf(subscription, plan.billingType)
    const stateObstacle = obstacleInState(subscription, state, now())
    if (stateObstacle) return fault(stateObstacle)

    const name = z.safeParse(personName, existing.name)
    const { productId, billingType } = plan
    const { startedAt, customerId } = existing
    const paymentIntentId = subscription.payments.at(-1)?.paymentIntentId

    const result = await db.transaction(async (tx): Promise<Verdict> => {
      const order = await orders.adopt(tx, {
        id: randomUUID(),
        productId,
        billingType,
        amount: state.price,
        email,
        customerId,
        subscriptionId: id,
        paymentIntentId: paymentIntentId ?? null,
      })
      if (!order) return { verdict: 'there', message: 'It’s in the shop already.' }
      const account = await accounts.guests.findOrCreateForTakeover(tx, { email, name: name.success ? name.data : '' })
      const buyer = await lockBuyer(tx, account.id)
      if (await hasOtherPurchase(tx, buyer.id, order))
        throw conflict('already-subscribed', `${email} has a subscription in the shop already.`)
      // The unproven account was reset, so no earlier payment may log in to it anymore.
      if (!account.isNew && !buyer.verifiedAt) await orders.logins.endForAccount(tx, buyer)
      await orders.close(tx, order.id, { userId: buyer.id, madeAccount: account.isNew })
      const purchase = await recordPurchase(
        tx,
        {
          userId: buyer.id,
          productId,
          createdAt: startedAt,
          stripeSubscriptionId: id,
          paymentIntentId: paymentIntentId ?? null,
          ...state,
        },
        subscription,
      )
      await access.purchasesChanged(tx, buyer.id)
      await audit.record(tx, actor, {
        action: 'purchase.take-over',
        subject: purchase.id,
        aboutId: buyer.id,
        detail: { subscriptionId: id },
      })
      if (invite)
        await mails.send(tx, email, 'purchaseTakenOver', {
          name: buyer.name,
          product: (await catalog.findRow(productId, tx)).name,
          tokenId: await accounts.guests.createFirstPasswordLink(tx, buyer.id),
        })
      await syncAfterTakeover(tx, { subscriptionId: id })
      return { verdict: 'new', message: 'Taken over' }
    })

    const needsTax = result.verdict === 'new' && config.tax.mode === 'stripe' && subscription.taxIsOff
    if (!needsTax) return result
    // False if Stripe doesn't know the customer's place.
    const isTaxed = await stripe.subscriptions.turnTaxOn(id)
    return isTaxed ? result : { ...result, message: takenOverWithoutTax }
  }

  return {
    async list() {
      const liveSubscriptions = await stripe.existing.list()
      const knownIds = new Set(await orders.filterKnown(liveSubscriptions.map(({ id }) => id)))
      const unknownSubscriptions = liveSubscriptions.filter(({ id }) => !knownIds.has(id))
      const priceIds = new Set(unknownSubscriptions.map(({ priceId }) => priceId))
      const prices = await readPrices(stripe, priceIds)
      return {
        prices: prices.map(({ billing, plan, ...price }) => ({
          ...price,
          billingType: billing,
          plan: parsePlan(catalog, plan),
          isOther: plan === soldElsewhere,
        })),
        subscriptions: unknownSubscriptions.map((existing) => ({ ...existing, obstacle: obstacleTo(existing) })),
      }
    },

    async setPlan(actor, id, plan) {
      const product = plan && catalog.findById(plan.productId)
      if (plan && !product) throw notFound('Product')
      const planText = product && plan ? `${product.slug} ${plan.billingType}` : soldElsewhere
      if (!(await stripe.existing.setPlan(id, planText))) throw notFound('Price')
      await audit.record(db, actor, { action: 'price.plan', subject: id, detail: { plan: planText } })
    },

    async takeOver(actor, ids, invite) {
      const results: TakeoverResult[] = []
      for (const id of ids) {
        const verdict = await takeOverOne(actor, id, invite).catch((error: unknown): Verdict => {
          // A refusal concerns one subscription; an outage stops the whole run.
          if (error instanceof Refusal && error.status < 500) return fault(error.message)
          throw error
        })
        results.push({ id, ...verdict })
      }
      return results
    },
  }
}

/** Parses text such as `trend-suite monthly`. */
function parsePlan(catalog: TakeoverDeps['catalog'], planText: string | null): ProductPlan | null {
  const [slug = '', billing] = planText?.split(' ') ?? []
  const product = catalog.findBySlug(slug)
  const billingType = billingTypes.find((type) => type === billing)
  return product && billingType ? { productId: product.id, billingType } : null
}

async function readPrices(stripe: StripeGateway, priceIds: Iterable<string>) {
  const prices: Awaited<ReturnType<StripeGateway['existing']['price']>>[] = []
  for (const id of priceIds) prices.push(await stripe.existing.price(id))
  return prices
}

const takenOverWithoutTax = 'Taken over, but charged without tax: Stripe doesn’t know where the customer is.'

const fault = (message: string) => ({ verdict: 'fault' as const, message })

function obstacleTo(existing: ExistingSubscription) {
  const { email, currency, hasOnePrice, hasFixedPrice, isPaidByInvoice, isScheduled, isCollectionPaused } = existing
  if (!z.safeParse(emailField, email).success) return 'The customer has no email address at Stripe. Add it there first.'
  if (currency !== 'usd')
    return `It’s paid in ${currency.toUpperCase()}, and the shop counts in dollars. It stays as it is at Stripe.`
  if (!hasOnePrice) return 'It has several prices at Stripe. Split it there first.'
  if (!hasFixedPrice)
    return 'Its price depends on usage or tiers, which the shop can’t show. It stays as it is at Stripe.'
  if (isPaidByInvoice) return 'It’s paid by invoice. The shop charges cards only; change that at Stripe first.'
  if (isScheduled) return 'A schedule at Stripe plans changes to it. Release it there first.'
  if (isCollectionPaused) return 'Its payment collection is paused at Stripe. Resume it there first.'
  return null
}

/** The next sync would immediately end a subscription with such an obstacle. */
function obstacleInState(
  subscription: Subscription,
  { endedAt, status, pastDueSince }: ReturnType<typeof stateOf>,
  now: Date,
) {
  if (endedAt || isUnpaidAttempt(subscription)) return 'It has ended at Stripe.'
  if (reversalOf(subscription))
    return 'Its last payment was refunded or lost to a dispute, which ends a subscription here. Cancel it at Stripe.'
  if (status === 'past_due' && pastDueSince && graceEnd(pastDueSince) <= now)
    return 'It has been unpaid for over 14 days, which ends a subscription here. Collect the payment at Stripe first.'
  return null
}
