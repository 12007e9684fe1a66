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
  refusedPurchaseReasons,
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
    /** Billing interval in words, such as `6 months`, if it matches no plan. */
    otherInterval: text(),
    /** List price of a period, before discounts and credit. */
    price: integer().notNull(),
    status: text({ enum: purchaseStatuses }).notNull(),
    createdAt: createdAt(),
    stripeSubscriptionId: text().unique(),
    paidThrough: text({ enum: paymentPlaces })
      .notNull()
      .generatedAlwaysAs(sql`case when stripe_subscription_id is null then 'hand' else 'stripe' end`),
    /** The owner cannot buy the product again: live, paused, or booked by hand and not ended. */
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
    dunningStep: integer().notNull().default(0),
    endedAt: moment(),
    endedBecause: text().$type<EndReason>(),
    refundedAmount: integer().notNull().default(0),
    /** Refund due at the end of a renewed term that was cancelled with a month's notice. */
    unusedTermRefund: integer('rest_refund'),
    isDisputed: boolean().notNull().default(false),
    disputedAmount: integer().notNull().default(0),
    /** Lost in disputes; `lostAndKept` is the part after which the seller chose to continue. */
    lostAmount: integer().notNull().default(0),
    lostAndKept: integer().notNull().default(0),
    /** Set for a purchase that was booked by hand; null if not stated. */
    bookedAs: text().$type<BookingKind>(),
    bookedBecause: text(),
    bookedUntil: moment(),
    /** For evidence; null without a dispute that can be answered. */
    disputeDueAt: moment(),
    disputedAt: moment(),
    /** Payment with an early fraud warning that the seller has not decided about yet. */
    warnedPaymentIntentId: text(),
    lastPaidAmount: integer(),
    nextAmount: integer(),
    /** Renewals after the discount ends. */
    laterAmount: integer(),
    laterAt: moment(),
    dueAmount: integer(),
    firstPaidAt: moment(),
    /** First payment of the current plan; later periods are renewals. */
    orderedAt: moment(),
    /** Latest paid period; null without a payment at Stripe. */
    paidFrom: moment(),
    paidUntil: moment(),
    /** Free time from the seller; nothing is charged before. */
    givenUntil: moment(),
    pausedAt: moment(),
    /** Collection paused by the seller at Stripe (`pause_collection`); access stays. */
    isCollectionPaused: boolean().notNull().default(false),
    collectionResumesAt: moment(),
    /** The shop collects tax, but not for this purchase: its address is invalid, or Stripe's tax is off for it. */
    taxIsOff: boolean().notNull().default(false),
    /** The unpaid renewal needs the buyer's confirmation with the bank (3-D Secure). */
    awaitsBank: boolean().notNull().default(false),
    cardRefusal: text(),
    /** Refunds that failed or that no card can take, and refunds made outside Stripe. */
    failedRefunds: integer().notNull().default(0),
    refundedElsewhere: integer().notNull().default(0),
    /** Stated as refunded by credit notes, although no refund was made. */
    uncoveredNotes: integer().notNull().default(0),
    /** Creation of the latest period's invoice, while it is still a draft. */
    draftSince: moment(),
    /** Set while Stripe does not know the subscription. */
    missingSince: moment(),
    /** Set if the shop has moved to another Stripe account since. */
    formerAccount: text(),
    /** Annual revenue by the ledger, in cents. */
    arr: integer().notNull().default(0),
    /** Payment method in words: "Visa ending in 4242". */
    card: text(),
    cardExpiresAt: moment(),
    /** The owner saved a card while logged in; a guest's card may be another person's. */
    cardSavedAt: moment(),
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
    // Guards against two concurrent checkouts of one account.
    uniqueIndex('purchases_one_live')
      .on(t.userId, t.productId)
      .where(sql`${t.stripeSubscriptionId} is not null and ${t.status} in ${listed(liveStatuses)}`),
  ],
)

const paymentsOfPurchase = sql`(
  select coalesce(json_agg(json_build_object('paidAt', p.paid_at, 'amountInCents', p.amount, 'taxInCents', p.tax, 'refunds', (
    select coalesce(json_agg(json_build_object('at', r.at, 'amountInCents', r.amount, 'status', r.status) order by r.at desc), '[]')
    from refunds r where r.payment_intent_id = p.payment_intent_id)) order by p.paid_at desc), '[]')
  from payments p where p.purchase_id = ${purchases}.id)`

/** The books stay; notes by the seller and texts by the buyer are removed. */
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

export const hasEndedPurchase = notInArray(purchases.status, [...liveStatuses, 'paused'])

export const isAcceptedPurchase = notInArray(sql`coalesce(${purchases.endedBecause}, '')`, [...refusedPurchaseReasons])

export const isOngoingPurchase = eq(purchases.isOngoing, true)
