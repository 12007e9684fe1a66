import type { Logger } from 'pino'
import type { Audit } from '#server/audit/audit.ts'
import { createKeyedMutex } from '#server/concurrency/keyed-mutex.ts'
import type { Database } from '#server/database/connect.ts'
import type { Accounts } from '#server/features/identity/accounts/accounts.ts'
import type { StripeGateway } from '#server/gateways/stripe.ts'
import type { Queue } from '#server/jobs/queue.ts'
import type { Mails } from '#server/mails/mails.ts'
import type { Attempts } from '#server/security/attempts.ts'
import type { Secrets } from '#server/security/secrets.ts'
import type { Checkouts } from '../checkout/checkout.ts'
import type { Seats } from '../seats/seats.ts'
import type { AccessEffects } from './access-effects.ts'
import { createAdministration } from './administration.ts'
import { createBooked } from './booked.ts'
import { createCardUpdate } from './card.ts'
import { createEndingNotices } from './ending-notices.ts'
import { createExtension } from './extension.ts'
import { createHistory } from './history.ts'
import { createInbox } from './inbox.ts'
import { createInvoices } from './invoices.ts'
import { createLookup } from './lookup.ts'
import { createNotifications } from './notifications.ts'
import { createForgetOld } from './old-purchases.ts'
import { createOwnSubscriptions } from './own-subscriptions.ts'
import { createReconciler } from './reconciler.ts'
import { createRenewalNotices } from './renewal-notices.ts'
import { createSync } from './sync.ts'

export type { AccessEffects } from './access-effects.ts'
export { entitlementOf, graceEnd } from './entitlement.ts'
export { eventTypes } from './inbox.ts'
export type Purchases = ReturnType<typeof createPurchases>

type Dependencies = {
  db: Database
  now: () => Date
  stripe: StripeGateway
  queue: Queue
  mails: Mails
  audit: Audit
  accounts: Accounts
  checkouts: Checkouts
  access: AccessEffects
  seats: Pick<Seats, 'take'>
  supportEmail: string
  consumerLaw: 'eu' | 'none'
  log: Logger
  crashPoint: (name: string) => void
  attempts: Pick<Attempts, 'allows'>
  isLinkToken: Secrets['isLinkToken']
}

/**
 * A purchase is a Stripe subscription, or was booked by hand by an admin. Whatever learns that something may have
 * changed (a webhook, the buyer's browser, an admin, the clock) calls `sync`, and `sync` asks Stripe.
 */
export function createPurchases(deps: Dependencies) {
  const notify = createNotifications(deps)
  const lookup = createLookup(deps)
  const sync = createSync({ ...deps, notify })
  const booked = createBooked({ ...deps, notify })
  const shared = { ...deps, lookup, booked, sync, runExclusive: createKeyedMutex() }
  const inbox = createInbox(shared)
  return {
    ...lookup,
    ...createOwnSubscriptions(shared),
    ...createInvoices(shared),
    sync,
    card: createCardUpdate(shared),
    ...createHistory(deps),
    extend: createExtension(shared),
    administration: createAdministration(shared),
    receiveEvent: inbox.receive,
    countOverdueEvents: inbox.countOverdue,
    book: booked.book,
    endBooked: booked.endDue,
    reconcile: createReconciler({ ...shared, inbox }),
    sendEndingNotices: createEndingNotices(deps),
    sendRenewalNotices: createRenewalNotices(deps),
    forgetOld: createForgetOld(deps),
  }
}
