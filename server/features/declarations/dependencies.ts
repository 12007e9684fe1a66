import type { Database } from '../../database/connect.ts'
import type { declarations } from '../../database/schema.ts'
import type { Queue } from '../../jobs/queue.ts'
import type { Attempts } from '../../security/attempts.ts'
import type { Secrets } from '../../security/secrets.ts'
import type { Audit } from '../audit/audit.ts'
import type { Mails } from '../mails/mails.ts'
import type { Purchases } from '../purchases/purchases.ts'

/** What this room needs from the others. */
export type Dependencies = {
  db: Database
  now: () => Date
  queue: Queue
  mails: Mails
  audit: Pick<Audit, 'record'>
  attempts: Pick<Attempts, 'allows'>
  secrets: Pick<Secrets, 'isLinkToken'>
  purchases: Pick<Purchases, 'withdraw' | 'cancelDeclared' | 'find'>
  supportEmail: string
  consumerLaw: 'eu' | 'none'
}

export type DeclarationRow = typeof declarations.$inferSelect
