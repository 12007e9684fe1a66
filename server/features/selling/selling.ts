import type { Context } from '#server/context.ts'
import type { Schedules } from '#server/jobs/queue.ts'
import type { Identity } from '../identity/identity.ts'
import { type Bookings, createBookings } from './bookings/bookings.ts'
import { type Bookkeeping, createBookkeeping } from './bookkeeping/bookkeeping.ts'
import { type Checkout, type Customers, createCheckout, createCustomers } from './checkout/checkout.ts'
import { type CodeAdministration, createCodeAdministration, createCodes } from './codes/codes.ts'
import { createDeclarations, type Declarations } from './declarations/declarations.ts'
import { createDisputes, type Disputes } from './disputes/disputes.ts'
import { createDocuments, type Documents, forgetOldInvoices } from './invoices/invoices.ts'
import { createLedger, createProof, type Ledger, type Proof } from './ledger/ledger.ts'
import {
  createAnnouncements,
  createExpiryNotices,
  createNextCharge,
  createNotices,
  type NextChargeOf,
} from './notices/notices.ts'
import { createOrders, type Orders } from './orders/orders.ts'
import { createPrices, type Prices } from './prices/prices.ts'
import { type AccessEffects, createPurchases, type Purchases } from './purchases/purchases.ts'
import { createStripeSetup, type StripeSetup } from './stripe-setup/stripe-setup.ts'
import { createSubscriptions, type Subscriptions } from './subscriptions/subscriptions.ts'

type SellingDeps = { identity: Pick<Identity, 'accounts'>; access: AccessEffects }

type SellingContext = Pick<
  Context,
  | 'attempts'
  | 'audit'
  | 'catalog'
  | 'config'
  | 'crashPoint'
  | 'db'
  | 'isLinkToken'
  | 'log'
  | 'mails'
  | 'now'
  | 'paymentAccount'
  | 'queue'
  | 'refuseShopAddress'
  | 'runExclusive'
  | 'settings'
  | 'site'
  | 'stripe'
  | 'supportEmail'
>

export type Selling = {
  customers: Customers
  orders: Orders
  prices: Prices
  bookkeeping: Bookkeeping
  disputes: Disputes
  ledger: Ledger
  proof: Proof
  purchases: Purchases
  invoices: Documents
  bookings: Bookings
  subscriptions: Subscriptions
  nextChargeOf: NextChargeOf
  checkout: Checkout
  declarations: Declarations
  codeAdministration: CodeAdministration
  stripeSetup: StripeSetup
  schedules: Schedules
  /** A price that isn't ready at Stripe doesn't stop the start: the next checkout retries it. */
  prepare(): Promise<void>
}

export function openSelling(context: SellingContext, { identity, access }: SellingDeps): Selling {
  const { config, stripe, log, now } = context
  const { accounts } = identity
  const orders = createOrders(context)
  const customers = createCustomers(context, orders)
  const prices = createPrices(context)
  const codes = createCodes(context)
  const ledger = createLedger(context)
  const purchases = createPurchases(context)
  const invoices = createDocuments(context)
  const notices = createNotices(context)
  const bookings = createBookings({ ...context, accounts, ledger, access, notices })
  const subscriptions = createSubscriptions({
    ...context,
    accounts,
    orders,
    customers,
    codes,
    prices,
    ledger,
    notices,
    bookings,
    access,
  })
  const { sync, cancellation } = subscriptions
  const nextChargeOf = createNextCharge(context)
  const expiryNotices = createExpiryNotices({ ...context, sync })
  const announcements = createAnnouncements({ ...context, sync, nextChargeOf })
  const bookkeeping = createBookkeeping(context)
  const disputes = createDisputes({ ...context, sync })
  const proof = createProof(context, { orders, sync })
  const checkout = createCheckout(context, { orders, customers, codes, prices, purchases, subscriptions })
  const declarations = createDeclarations(context, { purchases, cancellation })
  const stripeSetup = createStripeSetup({
    stripe,
    now,
    log,
    secretKey: config.stripe?.secretKey,
    publicUrl: config.publicUrl,
    prices: prices.expectedAtStripe,
  })
  const schedules: Schedules = {
    // Long enough for a run with 300 s of events and 1,000 subscriptions.
    reconcile: { cron: '*/5 * * * *', run: subscriptions.reconcile, leaseSeconds: 3600 },
    'end-booked': { cron: '* * * * *', run: bookings.endDue },
    'ending-notices': { cron: '9 * * * *', run: announcements.bookingEnds },
    'card-notices': { cron: '17 8 * * *', run: expiryNotices.expiringCards },
    'discount-notices': { cron: '27 8 * * *', run: expiryNotices.endingDiscounts },
    'renewal-notices': { cron: '7 8 * * *', run: announcements.renewals },
    'carry-out-declarations': { cron: '23 * * * *', run: declarations.carryOutConfirmed },
    'hand-declarations-to-seller': { cron: '33 * * * *', run: declarations.handToSeller },
    'forget-declarations': { cron: '27 3 * * *', run: declarations.forgetOld },
    'forget-old-purchases': {
      cron: '31 3 * * *',
      async run() {
        await purchases.forgetOld()
        await forgetOldInvoices(context.db, now())
      },
    },
    'forget-old-movements': { cron: '32 3 * * *', run: ledger.forgetOld },
    'update-invoice-footers': { cron: '*/10 * * * *', run: customers.updateInvoiceFooters },
    'read-balance': { cron: '17 * * * *', run: bookkeeping.readBalance },
    'prove-revenue': { cron: '41 2 * * *', run: proof.prove },
    'forget-unpaid-checkouts': { cron: '37 3 * * *', run: () => orders.forgetUnpaid(customers.remove) },
    'forget-order-addresses': { cron: '39 3 * * *', run: orders.forgetAddresses },
  }

  return {
    customers,
    orders,
    prices,
    bookkeeping,
    disputes,
    ledger,
    proof,
    purchases,
    invoices,
    bookings,
    subscriptions,
    nextChargeOf,
    checkout,
    declarations,
    codeAdministration: createCodeAdministration(context, prices),
    stripeSetup,
    schedules,

    async prepare() {
      await checkout.terms()
      await prices.ensureAll((error) =>
        log.error({ err: error }, 'a price is not ready at Stripe; the next checkout will try again'),
      )
      if (config.stripe)
        stripeSetup.warn().catch((error: unknown) => log.error({ err: error }, 'could not check the Stripe setup'))
    },
  }
}
