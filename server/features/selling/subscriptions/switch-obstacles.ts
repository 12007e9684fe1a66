import { and, eq } from 'drizzle-orm'
import { dayInWords } from '#contract/dates.ts'
import { type BillingType, planOf } from '#contract/plans.ts'
import { hasEnded } from '#contract/statuses.ts'
import type { Database } from '#server/database/connect.ts'
import { isForNewSubscription, orders as orderRows, users } from '#server/database/schema.ts'
import { conflict, type Refusal } from '#server/errors.ts'
import type { Subscription } from '#server/gateways/stripe.ts'
import type { Codes } from '../codes/codes.ts'
import { latestPaidPeriod } from '../invoices/invoices.ts'
import type { PurchaseRow } from '../purchases/purchases.ts'
import { stateOf } from './state.ts'

export const writeToUs = 'Please write to us, and we’ll switch it for you.'

export function subscriptionObstacle(
  subscription: Subscription,
  purchase: PurchaseRow,
  target: BillingType,
  now: Date,
): Refusal | undefined {
  const { plan, scheduleId, trialEndsAt, latestPeriodInvoice, payments, currentPeriodEnd } = subscription
  const { status, isDisputed, endsAt } = stateOf(subscription, purchase.billingType)
  const paidPeriod = latestPaidPeriod(subscription)
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
    return conflict('too-soon', `Your time until ${dayInWords(trialEndsAt)} is free. You can switch after that.`)
  if (latestPeriodInvoice?.status === 'draft' || latestPeriodInvoice?.status === 'open')
    return conflict('payment-pending', 'Your renewal is being charged. Please try again in an hour.')
  const isPeriodPaid = paidPeriod && paidPeriod.end >= currentPeriodEnd
  // A refunded payment can't be credited as well.
  const isRefunded = payments.some(({ invoiceId, refunded }) => invoiceId === paidPeriod?.invoiceId && refunded > 0)
  if (!isPeriodPaid || isRefunded)
    return conflict('switch-refused', `Your last payment was changed by hand. ${writeToUs}`)
  return undefined
}

/** Stripe would also apply a discount for the present plan to the longer one. */
export async function discountObstacle(
  codes: Pick<Codes, 'findByCoupons'>,
  { discounts, plan }: Subscription,
  target: BillingType,
  now: Date,
): Promise<Refusal | undefined> {
  const runningDiscounts = discounts.filter(({ endsAt }) => !endsAt || endsAt > now)
  const knownCodes = await codes.findByCoupons(runningDiscounts.map(({ couponId }) => couponId))
  for (const { couponId, duration, endsAt } of runningDiscounts) {
    const code = knownCodes.find(({ id }) => id === couponId)
    const isCodeForOtherPlan = code && code.billingType !== null && code.billingType !== target
    // A discount for some months that was given at Stripe, without a code, counts as given for the present plan.
    const isGivenForPresentPlan = !code && duration === 'repeating'
    if (!isCodeForOtherPlan && !isGivenForPresentPlan) continue
    const forPlan = code?.billingType ?? plan.billing
    const discountName = code ? `Your code ${code.code}` : 'Your discount'
    return conflict(
      'switch-refused',
      endsAt
        ? `${discountName} is for the ${forPlan} plan until ${dayInWords(endsAt)}. You can switch after that.`
        : `Your code is for the ${forPlan} plan only.`,
    )
  }
  return undefined
}

/** The card on file may belong to someone else: a guest, or the former holder of the account. */
export async function assertOwnCard(
  db: Database,
  { userId, stripeSubscriptionId, createdAt, cardSavedAt }: PurchaseRow,
) {
  const [owner] = await db
    .select({ madeAccount: orderRows.madeAccount, handedOverAt: users.handedOverAt })
    .from(users)
    .leftJoin(orderRows, and(eq(orderRows.subscriptionId, stripeSubscriptionId ?? ''), isForNewSubscription))
    .where(eq(users.id, userId))
  // `madeAccount` is false for a guest order that was attached to an existing account.
  const isGuestsCard = owner?.madeAccount === false && !cardSavedAt
  const isFormerHoldersCard = owner?.handedOverAt && owner.handedOverAt > (cardSavedAt ?? createdAt)
  if (isGuestsCard || isFormerHoldersCard)
    throw conflict(
      'card-needed',
      'The card on file was given without logging in, so it may be someone else’s. Save your own card first, then switch.',
    )
}
