import type { Context } from '#server/context.ts'
import type { Accounts } from '#server/features/identity/accounts/accounts.ts'
import type { Bookings } from '../bookings/bookings.ts'
import type { Codes } from '../codes/codes.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Notices } from '../notices/notices.ts'
import type { Orders } from '../orders/orders.ts'
import type { Prices } from '../prices/prices.ts'
import type { AccessEffects } from '../purchases/purchases.ts'
import { createRefunds, type Refunds, refundAll } from '../refunds/refunds.ts'
import type { ApplyDeps } from './apply.ts'
import { type Cancellation, createCancellation } from './cancellation.ts'
import { type CardUpdate, createCardUpdate } from './card-update.ts'
import { createInbox, type Inbox } from './inbox.ts'
import { createMissingPurchases } from './missing.ts'
import { createReconciler } from './reconciler.ts'
import { createSellerActions, type SellerActions } from './seller-actions.ts'
import { createSwitching, type Switching } from './switching.ts'
import { createSync, type Sync } from './sync.ts'
import { createTakeover, type Takeover } from './takeover.ts'
import { createUnpaid, type Unpaid } from './unpaid.ts'

export type { Cancellation } from './cancellation.ts'
export { type Unrefunded, unrefundedInWords } from './unrefunded.ts'

type SubscriptionDeps = Pick<
  Context,
  | 'db'
  | 'now'
  | 'log'
  | 'stripe'
  | 'queue'
  | 'mails'
  | 'audit'
  | 'catalog'
  | 'config'
  | 'site'
  | 'crashPoint'
  | 'runExclusive'
  | 'refuseShopAddress'
> & {
  accounts: Pick<Accounts, 'guests'>
  orders: Orders
  customers: ApplyDeps['customers']
  codes: Pick<Codes, 'use' | 'findByCoupons' | 'recordLostUse'>
  prices: Pick<Prices, 'current' | 'stripeIdOf' | 'recreate'>
  ledger: Pick<Ledger, 'record' | 'recordEnd'>
  notices: Notices
  bookings: Bookings
  access: AccessEffects
}

/** Subscriptions at Stripe. Call `sync` whenever one may have changed; it reads the current state from Stripe. */
export type Subscriptions = {
  sync: Sync
  /** Refunds a payment that arrives at the same moment. */
  cancelUnpaid(subscriptionId: string): Promise<void>
  inbox: Inbox
  reconcile(): Promise<void>
  cancellation: Cancellation
  switching: Switching
  cardUpdate: CardUpdate
  refunds: Refunds
  sellerActions: SellerActions
  unpaid: Unpaid
  takeover: Takeover
}

export function createSubscriptions(sharedDeps: SubscriptionDeps): Subscriptions {
  const { stripe } = sharedDeps
  const missingPurchases = createMissingPurchases(sharedDeps)
  const sync = createSync({ ...sharedDeps, missingPurchases })
  const deps = { ...sharedDeps, missingPurchases, sync }
  const inbox = createInbox(deps)
  const switching = createSwitching(deps)
  const cancellation = createCancellation(deps)
  const refunds = createRefunds(deps)

  return {
    sync,

    async cancelUnpaid(subscriptionId) {
      await stripe.subscriptions.cancelNow(subscriptionId)
      await refundAll(stripe, subscriptionId)
      await sync(subscriptionId)
    },

    inbox,
    reconcile: createReconciler({ ...deps, inbox, switching }),
    cancellation,
    switching,
    cardUpdate: createCardUpdate(deps),
    refunds,
    sellerActions: createSellerActions({ ...deps, cancellation }),
    unpaid: createUnpaid(deps),
    takeover: createTakeover(deps),
  }
}
