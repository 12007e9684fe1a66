import type { Logger } from 'pino'
import type { Database } from '../../database/connect.ts'
import type { StripeGateway } from '../../gateways/stripe.ts'
import type { Queue } from '../../jobs/queue.ts'
import type { Accounts } from '../accounts/accounts.ts'
import type { Audit } from '../audit/audit.ts'
import type { Mails } from '../mails/mails.ts'
import { createAdministration } from './administration.ts'
import { createCardUpdate } from './card.ts'
import { createInbox } from './inbox.ts'
import { createLetters } from './letters.ts'
import { createOwnPurchases } from './own-purchases.ts'
import { createReconciler } from './reconciler.ts'
import { createSync } from './sync.ts'

export type Purchases = ReturnType<typeof createPurchases>

type Dependencies = {
  db: Database
  now: () => Date
  stripe: StripeGateway
  queue: Queue
  mails: Mails
  audit: Audit
  accounts: Accounts
  supportEmail: string
  log: Logger
  crashPoint: (name: string) => void
}

/**
 * A purchase is a subscription at Stripe, or was booked by an admin by hand. Whoever learns that something may have
 * changed (a webhook, the buyer's browser, an admin, the clock) calls `sync`, and `sync` asks Stripe.
 */
export function createPurchases(deps: Dependencies) {
  const sync = createSync({ ...deps, tell: createLetters(deps) })
  const own = createOwnPurchases({ ...deps, sync })
  const inbox = createInbox({ ...deps, sync })
  const reconcile = createReconciler({ ...deps, inbox, sync })
  deps.queue.schedule('reconcile', '*/5 * * * *', reconcile)
  return {
    ...own,
    card: createCardUpdate({ ...deps, own }),
    administration: createAdministration({ ...deps, own }),
    receiveEvent: inbox.receive,
  }
}
