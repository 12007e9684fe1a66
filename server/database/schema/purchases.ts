import { desc, eq, inArray, notInArray, sql } from 'drizzle-orm'
import { boolean, check, index, integer, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core'
import {
  type BillingType,
  type BookingKind,
  type EndReason,
  type LeaveReason,
  liveStatuses,
  paymentPlaces,
  purchaseStatuses,
} from '#contract/statuses.ts'
import { userId } from './accounts.ts'
import { productId } from './catalog.ts'
import { createdAt, id, listed, moment, monthOf } from './columns.ts'
import { personal } from './personal.ts'

export const purchases = pgTable(
  'purchases',
  {
    id: id(),
    userId: userId(),
    productId: productId(),
    billingType: text().$type<BillingType>().notNull(),
    /** How often Stripe charges it, in words, if that is none of the plans: `6 months`. */
    otherInterval: text(),
    /** What a period costs by its plan, before discounts and credit. */
    price: integer().notNull(),
    status: text({ enum: purchaseStatuses }).notNull(),
    createdAt: createdAt(),
    /** Null for a purchase that an admin entered by hand. */
    stripeSubscriptionId: text().unique(),
    paidThrough: text({ enum: paymentPlaces })
      .notNull()
      .generatedAlwaysAs(sql`case when stripe_subscription_id is null then 'hand' else 'stripe' end`),
    /** Its owner need not buy again. A paused one comes back; what was booked by hand until a day ends on it. */
    isOngoing: boolean()
      .notNull()
      .generatedAlwaysAs(
        sql`status = 'paused' or (status in ${listed(liveStatuses)} and (stripe_subscription_id is not null or ends_at is null))`,
      ),
    paymentIntentId: text().unique(),
    lastPaidAt: moment(),
    currentPeriodEnd: moment(),
    endsAt: moment(),
    pastDueSince: moment(),
    /** How far the reminders about an unpaid renewal have gotten: see `dunningStep` in subscriptions/state.ts. */
    dunningStep: integer().notNull().default(0),
    endedAt: moment(),
    endedBecause: text().$type<EndReason>(),
    refundedAmount: integer().notNull().default(0),
    /** Refund promised for when it ends: the rest of a renewed term that was ended with a month's notice. */
    restRefund: integer(),
    isDisputed: boolean().notNull().default(false),
    /** What open disputes are about. */
    disputedAmount: integer().notNull().default(0),
    /** What banks took back by disputes that were lost; what the seller has decided to go on after. */
    lostAmount: integer().notNull().default(0),
    lostAndKept: integer().notNull().default(0),
    /** Booked by hand: how it came about, why (in the seller's words), and until when. Null if no one said so. */
    bookedAs: text().$type<BookingKind>(),
    bookedBecause: text(),
    bookedUntil: moment(),
    /** Until when the seller may answer the bank; null if nothing is disputed or nothing can be answered. */
    disputeDueAt: moment(),
    /** When the first dispute was opened, whatever became of it. */
    disputedAt: moment(),
    /** The payment that its card's bank takes for fraud, as long as the seller has not decided about it. */
    warnedPaymentIntentId: text(),
    /** What was paid last, whatever for. */
    lastPaidAmount: integer(),
    /** What the next renewal will charge; null if nothing more will be charged. */
    nextAmount: integer(),
    /** What is charged from a later renewal on, once a discount has ended. */
    laterAmount: integer(),
    laterAt: moment(),
    dueAmount: integer(),
    /** When the present plan was ordered, which is when its first period was paid for: its later periods are renewals. */
    orderedAt: moment(),
    /** The period that was paid for last; null without a payment at Stripe. */
    paidFrom: moment(),
    paidUntil: moment(),
    /** Time that the seller gave: until then, nothing is charged. */
    givenUntil: moment(),
    pausedAt: moment(),
    /** The seller stopped collecting payments at Stripe; access stays. */
    isCollectionPaused: boolean().notNull().default(false),
    collectionResumesAt: moment(),
    /** Charged without tax, though the shop collects it: Stripe lost the buyer's place, or tax was never turned on. */
    taxIsOff: boolean().notNull().default(false),
    /** An unpaid renewal only wants the buyer to confirm it with their bank. */
    awaitsBank: boolean().notNull().default(false),
    /** Why the card was refused for the open payment, in a sentence. */
    cardRefusal: text(),
    /** Refunds that banks returned and that have not been refunded again; what the seller has refunded another way. */
    failedRefunds: integer().notNull().default(0),
    refundedElsewhere: integer().notNull().default(0),
    /** What credit notes say was refunded and was not. */
    uncoveredNotes: integer().notNull().default(0),
    /** Since when Stripe has not been able to charge for the present period: its invoice is still a draft. */
    draftSince: moment(),
    /** Since when Stripe has answered that it does not know the subscription. */
    missingSince: moment(),
    /** The Stripe account that it was paid at, if the shop has moved to another one since. */
    formerAccount: text(),
    /** What it earns in a year by the ledger, in whole cents. */
    arr: integer().notNull().default(0),
    /** What pays for it, in words: "Visa ending in 4242". */
    card: text(),
    cardExpiresAt: moment(),
    /** When the account's holder last saved a card here themselves; a guest's card may be somebody else's. */
    cardSavedAt: moment(),
    /** Why the buyer cancelled, here or at Stripe, if they said so. Null again if they undo it. */
    leaveReason: text().$type<LeaveReason>(),
    leaveComment: text(),
  },
  (t) => [
    index('purchases_untaxed').on(t.createdAt, t.id).where(sql`${t.taxIsOff}`),
    index('purchases_warned').on(t.createdAt, t.id).where(sql`${t.warnedPaymentIntentId} is not null`),
    index('purchases_disputed').on(t.createdAt, t.id).where(sql`${t.isDisputed}`),
    index('purchases_lost').on(t.createdAt, t.id).where(sql`${t.lostAmount} > ${t.lostAndKept}`),
    index('purchases_ended_in').on(monthOf(t.endedAt), t.createdAt, t.id).where(sql`${t.endedAt} is not null`),
    index('purchases_user').on(t.userId, t.createdAt, t.id, t.status),
    index('purchases_newest').on(t.createdAt, t.id),
    index('purchases_by_status').on(t.status, t.createdAt, t.id),
    index('purchases_by_billing').on(t.billingType, t.createdAt, t.id),
    index('purchases_by_both').on(t.status, t.billingType, t.createdAt, t.id),
    index('purchases_booked_ends')
      .on(t.endsAt)
      .where(sql`${t.stripeSubscriptionId} is null and ${t.endsAt} is not null`),
    index('purchases_failed_refunds').on(t.createdAt, t.id).where(sql`${t.failedRefunds} > 0`),
    index('purchases_leaving').on(t.endedAt).where(sql`${t.leaveReason} is not null`),
    index('purchases_uncovered').on(t.createdAt, t.id).where(sql`${t.uncoveredNotes} > 0`),
    index('purchases_drafts').on(t.draftSince).where(sql`${t.draftSince} is not null`),
    index('purchases_missing').on(t.missingSince).where(sql`${t.missingSince} is not null`),
    index('purchases_cards').on(t.cardExpiresAt).where(sql`${t.status} = 'active'`),
    check('purchases_status', sql`${t.status} in ${listed(purchaseStatuses)}`),
    check('purchases_amount', sql`${t.price} >= 0 and ${t.refundedAmount} >= 0`),
    // Two checkouts of one account can race; the database has the last word.
    uniqueIndex('purchases_one_live')
      .on(t.userId, t.productId)
      .where(sql`${t.stripeSubscriptionId} is not null and ${t.status} in ${listed(liveStatuses)}`),
  ],
)

/** With the purchase itself, in one statement. */
const paymentsOfPurchase = sql`(
  select coalesce(json_agg(json_build_object('paidAt', p.paid_at, 'amountInCents', p.amount, 'taxInCents', p.tax, 'refunds', (
    select coalesce(json_agg(json_build_object('at', r.at, 'amountInCents', r.amount, 'status', r.status) order by r.at desc), '[]')
    from refunds r where r.payment_intent_id = p.payment_intent_id)) order by p.paid_at desc), '[]')
  from payments p where p.purchase_id = ${purchases}.id)`

/** The books stay; the seller's words about the person and their own go. */
export const personalPurchases = [
  personal(purchases, {
    shown: {
      as: 'purchases',
      columns:
        'id productId billingType otherInterval status createdAt currentPeriodEnd endsAt endedAt card cardExpiresAt cardSavedAt cardRefusal',
      more: {
        amountInCents: purchases.price,
        lastPaidInCents: purchases.lastPaidAmount,
        nextChargeInCents: purchases.nextAmount,
        refundedInCents: purchases.refundedAmount,
        failedRefundsInCents: purchases.failedRefunds,
        refundedElsewhereInCents: purchases.refundedElsewhere,
        paymentUnderFraudWarning: purchases.warnedPaymentIntentId,
        leftBecause: purchases.leaveReason,
        leftWithTheWords: purchases.leaveComment,
        bookedByHandAs: purchases.bookedAs,
        bookedByHandBecause: purchases.bookedBecause,
        payments: paymentsOfPurchase,
      },
      order: desc(purchases.createdAt),
    },
    empties: { bookedBecause: null, warnedPaymentIntentId: null, leaveComment: null, card: null },
  }),
]

export const isLivePurchase = inArray(purchases.status, [...liveStatuses])

/** `hasEnded` of the contract. */
export const hasEndedPurchase = notInArray(purchases.status, [...liveStatuses, 'paused'])

export const isOngoingPurchase = eq(purchases.isOngoing, true)
