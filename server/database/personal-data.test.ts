import { getTableColumns, getTableName, isTable, type Table } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { personalTables } from './personal-data.ts'
import type { Personal } from './schema/personal.ts'
import * as schema from './schema.ts'

/** Tables without declared personal data. The newsletter and audit modules handle theirs in code. */
const undeclaredTables = new Set(
  `attempts products prices recommended_assets shop_settings terms_texts discount_codes code_uses mrr_proofs tv_connection tv_scripts tv_runs stripe_events stripe_events_pulled payment_account invoices credit_notes payments refunds balance_transactions payouts balance_reads newsletters service_messages newsletter_subscriptions newsletter_recipients mail_suppressions audit_log`.split(
    /\s+/,
  ),
)

/** Columns that are neither shown nor emptied, such as ids and secrets. Modules show billing details and factors. */
const otherColumns: Record<string, string> = {
  access: 'id userId nameCheckedAt askedAt decidedBy endRequestedAt todo todoSince dueAt',
  accessEvents: 'id userId productId fromState toState byAdmin',
  accessForms: 'id userId',
  appCodes: 'userId sealedSecret lastStep createdAt',
  billingDetails: 'userId company street postalCode city country vatId updatedAt',
  contactMessages: 'id userId',
  customerNotes: 'id userId authorId',
  declarations: 'id forCause userId purchaseId linkEndsAt sellerToldAt',
  disputes: 'id paymentIntentId dueAt savedAt',
  emailChanges: 'id userId',
  factorResets: 'id userId requestedAt sentAt usedAt stoppedAt',
  knownDevices: 'userId fingerprint',
  logins: 'id userId',
  mrrMovements: 'id userId productId month dayOfMonth recordedAt source revision billingType people corrects',
  orders:
    'id userId madeAccount codeId nonceHash customerId invoiceFooter subscriptionId paymentIntentId version syncedAt loginUsedAt',
  passkeys: 'id userId publicKey counter transports isSynced aaguid host name createdAt lastUsedAt',
  passwordTokens: 'id tokenHash purpose userId createdAt expiresAt usedAt',
  purchases:
    'userId stripeSubscriptionId paidThrough isOngoing paymentIntentId lastPaidAt pastDueSince dunningStep endedBecause unusedTermRefund isDisputed disputedAt disputedAmount lostAmount lostAndKept bookedUntil disputeDueAt laterAmount laterAt dueAmount firstPaidAt orderedAt paidFrom paidUntil givenUntil pausedAt isCollectionPaused collectionResumesAt taxIsOff awaitsBank uncoveredNotes draftSince missingSince formerAccount arr',
  recoveryCodes: 'userId hash usedAt',
  reviews: 'id userId productId answeredAt report reportedAt',
  sentMails: 'id userId kind data',
  sessions: 'id tokenHash previousTokenHash rotatedAt userId expiresAt provenAt proofUsedAt provenBy',
  tvEvents: 'id pineId usernameKey http milliseconds excerpt',
  tvPeople:
    'id scriptId usernameKey userId isOurs listEntryId tries failingSince nextTryAt error firstPresentAt version createdAt',
  users: 'handedOverAt remindedAt searchText',
}

const wordsOf = (words = '') => words.split(' ').filter(Boolean)

function declaredColumns({ table, shown, empties }: Personal) {
  const person = { id: '', email: '', verifiedAt: null }
  const emptied = typeof empties === 'function' ? empties(person, new Date()) : (empties ?? {})
  const columns = getTableColumns(table)
  const renamedColumns = Object.values(shown?.more ?? {})
  const renamed = Object.keys(columns).filter((name) => renamedColumns.some((column) => column === columns[name]))
  return [...wordsOf(shown?.columns), ...Object.keys(emptied), ...renamed]
}

const nameOf = (table: Table) => getTableName(table)
function otherColumnsOf(table: Table) {
  const [exportName = ''] = Object.entries(schema).find(([, exported]) => exported === table) ?? []
  return wordsOf(otherColumns[exportName])
}
const declarationsOf = (table: Table) => personalTables.filter((personal) => nameOf(personal.table) === nameOf(table))

test('every column of a table about people is declared as shown, emptied, or neither', () => {
  const tables = Object.values(schema).filter((exported) => isTable(exported))
  const isUndeclared = (table: Table) => undeclaredTables.has(nameOf(table))
  for (const table of tables.filter(isUndeclared)) expect(declarationsOf(table), nameOf(table)).toEqual([])
  for (const table of tables.filter((each) => !isUndeclared(each))) {
    const knownColumns = [...declarationsOf(table).flatMap(declaredColumns), ...otherColumnsOf(table)]
    expect(new Set(knownColumns), nameOf(table)).toEqual(new Set(Object.keys(getTableColumns(table))))
  }
})
