import { bigint, boolean, customType, index, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { userId } from './accounts.ts'
import { createdAt, id, moment, momentOfInsert } from './columns.ts'
import { personal } from './personal.ts'

const bytes = customType<{ data: Uint8Array<ArrayBuffer>; driverData: Buffer }>({
  dataType: () => 'bytea',
  toDriver: (value) => Buffer.from(value),
  fromDriver: (value) => new Uint8Array(value),
})

export const passkeys = pgTable(
  'passkeys',
  {
    id: text().primaryKey(),
    userId: userId({ onDelete: 'cascade' }),
    publicKey: bytes().notNull(),
    /** A lower value than before means a copied passkey; synced passkeys send 0. */
    counter: bigint({ mode: 'number' }).notNull(),
    transports: text().array().notNull(),
    isSynced: boolean().notNull(),
    aaguid: text().notNull(),
    /** Host that the passkey was created for; it works on no other host. */
    host: text().notNull(),
    name: text().notNull(),
    createdAt: createdAt(),
    lastUsedAt: moment(),
  },
  (t) => [index('passkeys_user').on(t.userId)],
)

export const appCodes = pgTable('app_codes', {
  userId: userId({ onDelete: 'cascade' }).primaryKey(),
  sealedSecret: text().notNull(),
  /** Time step of the last used code; this code and all earlier ones are refused. */
  lastStep: bigint({ mode: 'number' }).notNull(),
  createdAt: createdAt(),
})

export const recoveryCodes = pgTable(
  'recovery_codes',
  { userId: userId({ onDelete: 'cascade' }), hash: text().notNull(), usedAt: moment() },
  (t) => [primaryKey({ columns: [t.userId, t.hash] })],
)

/** For people without device and recovery code: after a wait, an emailed link removes their factors. */
export const factorResets = pgTable(
  'factor_resets',
  {
    id: id(),
    userId: userId({ onDelete: 'cascade' }),
    requestedAt: momentOfInsert(),
    sentAt: moment(),
    usedAt: moment(),
    stoppedAt: moment(),
  },
  (t) => [index('factor_resets_user').on(t.userId)],
)

/** "My data" shows nothing that could be used to log in. */
export const personalFactors = [
  personal(passkeys, { shown: { as: 'passkeys', columns: 'name host isSynced createdAt lastUsedAt' }, deletes: true }),
  personal(appCodes, { shown: { as: 'appCodes', columns: 'createdAt' }, deletes: true }),
  personal(recoveryCodes, { shown: { as: 'recoveryCodes', columns: 'usedAt' }, deletes: true }),
  personal(factorResets, { deletes: true }),
]
