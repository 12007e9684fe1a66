import type { Audit } from '#server/audit/audit.ts'
import type { Database } from '#server/database/connect.ts'
import type { declarations } from '#server/database/schema.ts'
import type { Queue } from '#server/jobs/queue.ts'
import type { Mails } from '#server/mails/mails.ts'
import type { Attempts } from '#server/security/attempts.ts'
import type { Secrets } from '#server/security/secrets.ts'
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
