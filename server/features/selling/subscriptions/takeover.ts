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
import { hasOther, lockBuyer, recordPurchase } from './apply.ts'
import { isUnpaidAttempt, stateOf } from './state.ts'
import type { Sync } from './sync.ts'

type TakeoverDeps = Pick<
  Context,
  'db' | 'now' | 'stripe' | 'audit' | 'queue' | 'mails' | 'refuseShopAddress' | 'catalog' | 'config'
> & { accounts: Pick<Accounts, 'guests'>; orders: Orders; access: Pick<AccessEffects, 'purchasesChanged'>; sync: Sync }
type Plan = { productId: string; billingType: BillingType }
type Verdict = { verdict: ImportVerdictKind; message: string }

type ListedPrice = Omit<Awaited<ReturnType<StripeGateway['existing']['price']>>, 'billing' | 'plan'> & {
  billingType: BillingType | null
  plan: Plan | null
  isOther: boolean
}

/** Imports subscriptions that were created at Stripe, not by the shop; price, card and dates stay unchanged. */
export type Takeover = {
  list(): Promise<{ prices: ListedPrice[]; subscriptions: (ExistingSubscription & { obstacle: string | null })[] }>
  /** Says which plan a price at Stripe is; null for one that another shop sells. */
  setPlan(actor: Actor, id: string, plan: Plan | null): Promise<void>
  takeOver(actor: Actor, ids: string[], invite: boolean): Promise<(Verdict & { id: string })[]>
}

/** A price that another shop on this account sells. */
const soldElsewhere = 'other'

export function createTakeover(deps: TakeoverDeps): Takeover {
  const { db, now, stripe, audit, queue, mails, refuseShopAddress, catalog, config } = deps
  const { accounts, orders, access, sync } = deps

  /** Syncs once more: events that arrived before the takeover were ignored. */
  const follow = queue.job<{ subscriptionId: string }>('follow-taken-over', ({ subscriptionId }) =>
    sync(subscriptionId),
  )

  function readPlan(planText: string | null): Plan | null {
    const [slug = '', billing] = planText?.split(' ') ?? []
    const product = catalog.findBySlug(slug)
    const billingType = billingTypes.find((each) => each === billing)
    return product && billingType ? { productId: product.id, billingType } : null
  }

  async function takeOne(actor: Actor, id: string, invite: boolean): Promise<Verdict> {
    const found = await stripe.existing.find(id)
    if (!found) throw notFound('Subscription')
    const plan = readPlan((await stripe.existing.price(found.priceId)).plan)
    if (!plan) return fault('Please say first which plan its price is.')
    const obstacle = obstacleTo(found)
    if (obstacle) return fault(obstacle)
    const email = z.parse(emailField, found.email)
    refuseShopAddress(email)
    const answer = await stripe.subscriptions.read(id)
    const state = stateOf(answer, plan.billingType)
    const wrong = faultOf(answer, state, now())
    if (wrong) return fault(wrong)
    const name = z.safeParse(personName, found.name)
    const { productId, billingType } = plan
    const { startedAt, customerId } = found
    const paymentIntentId = answer.payments.at(-1)?.paymentIntentId

    const verdict = await db.transaction(async (tx): Promise<Verdict> => {
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
      if (await hasOther(tx, buyer.id, order))
        throw conflict('already-subscribed', `${email} has a subscription in the shop already.`)
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
        answer,
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
          product: (await catalog.findRow(productId)).name,
          tokenId: await accounts.guests.createFirstPasswordLink(tx, buyer.id),
        })
      await follow(tx, { subscriptionId: id })
      return { verdict: 'new', message: 'Taken over' }
    })
    if (verdict.verdict !== 'new' || config.tax.mode !== 'stripe' || !answer.taxIsOff) return verdict
    const isTaxed = await stripe.subscriptions.turnTaxOn(id)
    return isTaxed ? verdict : { ...verdict, message: untaxed }
  }

  return {
    async list() {
      const live = await stripe.existing.list()
      const known = new Set(await orders.filterKnown(live.map(({ id }) => id)))
      const unknown = live.filter(({ id }) => !known.has(id))
      const ids = [...new Set(unknown.map(({ priceId }) => priceId))]
      const prices: Awaited<ReturnType<typeof stripe.existing.price>>[] = []
      for (const id of ids) prices.push(await stripe.existing.price(id))
      return {
        prices: prices.map(({ billing, plan, ...price }) => ({
          ...price,
          billingType: billing,
          plan: readPlan(plan),
          isOther: plan === soldElsewhere,
        })),
        subscriptions: unknown.map((found) => ({ ...found, obstacle: obstacleTo(found) })),
      }
    },

    async setPlan(actor, id, plan) {
      const product = plan && catalog.findById(plan.productId)
      if (plan && !product) throw notFound('Product')
      const words = product && plan ? `${product.slug} ${plan.billingType}` : soldElsewhere
      if (!(await stripe.existing.setPlan(id, words))) throw notFound('Price')
      await audit.record(db, actor, { action: 'price.plan', subject: id, detail: { plan: words } })
    },

    async takeOver(actor, ids, invite) {
      const verdicts: (Verdict & { id: string })[] = []
      for (const id of ids) {
        const verdict = await takeOne(actor, id, invite).catch((error: unknown): Verdict => {
          // A refusal concerns one subscription; an outage stops the whole run.
          if (error instanceof Refusal && error.status < 500) return fault(error.message)
          throw error
        })
        verdicts.push({ id, ...verdict })
      }
      return verdicts
    },
  }
}

const untaxed = 'Taken over, but charged without tax: Stripe doesn’t know where the customer is.'

const fault = (message: string) => ({ verdict: 'fault' as const, message })

/** Obstacles that Stripe's list shows. */
function obstacleTo(found: ExistingSubscription) {
  const { email, currency, hasOnePrice, hasFixedPrice, isPaidByInvoice, isScheduled, isCollectionPaused } = found
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

/** Refuses subscriptions that the next sync would end immediately, judged by their payment history. */
function faultOf(answer: Subscription, { endedAt, status, pastDueSince }: ReturnType<typeof stateOf>, now: Date) {
  if (endedAt || isUnpaidAttempt(answer)) return 'It has ended at Stripe.'
  if (reversalOf(answer))
    return 'Its last payment was refunded or lost to a dispute, which ends a subscription here. Cancel it at Stripe.'
  if (status === 'past_due' && pastDueSince && graceEnd(pastDueSince) <= now)
    return 'It has been unpaid for over 14 days, which ends a subscription here. Collect the payment at Stripe first.'
  return null
}
