import { is } from 'drizzle-orm'
import { PgTable } from 'drizzle-orm/pg-core'
import { expect, test } from 'vitest'
import * as schema from '#server/database/schema.ts'
import { checkTables, readTables } from './tables.ts'

const tables = [
  { name: 'users', sqlName: 'users', owner: 'features/identity/accounts' },
  { name: 'auditLog', sqlName: 'audit_log', owner: 'audit' },
]
const owners = {
  'server/features/identity/accounts/inner.ts': `import { users } from '#server/database/schema.ts'\ntx.update(users).set({})`,
  'server/audit/audit.ts': `import { auditLog } from '#server/database/schema.ts'\ndb.insert(auditLog)`,
}
const complaintsAbout = (files: Record<string, string>) =>
  checkTables(new Map(Object.entries({ ...owners, ...files })), tables).complaints

test('the owner of a table may write it, and everyone may read it', () => {
  const reader = `import { users } from '#server/database/schema.ts'\ndb.select().from(users).for('update')`
  expect(complaintsAbout({ 'server/features/admin/other/other.ts': reader })).toEqual([])
})

test.for([
  ['an insert', 'db.insert(users)'],
  ['an update', 'await connection.db.update(users).set({ name })'],
  ['a delete', 'tx.delete(users).where(x)'],
  ['a statement', 'tx.execute(sql`update ${users} set name = 1`)'],
  ['a statement with the table name in it', "pool.query('delete from users')"],
] as const)('%s from another module is reported', ([, code]) => {
  const file = `import { users } from '#server/database/schema.ts'\n${code}`
  expect(complaintsAbout({ 'server/features/admin/other/other.ts': file })).toEqual([
    'server/features/admin/other/other.ts writes users: ask server/features/identity/accounts',
  ])
})

test('an alias does not hide the table', () => {
  const renamed = `import { users as rows } from '#server/database/schema.ts'\ntx.delete(rows)`
  expect(complaintsAbout({ 'server/features/admin/b/a.ts': renamed })).toEqual([
    'server/features/admin/b/a.ts writes users: ask server/features/identity/accounts',
  ])
  const hidden = `import { users } from '#server/database/schema.ts'\nfor (const table of [users]) tx.delete(table)`
  expect(complaintsAbout({ 'server/features/identity/accounts/b.ts': hidden })).toEqual([
    'server/features/identity/accounts/b.ts writes a table the check cannot name',
  ])
})

test('importing the file of one module does not hide the table', () => {
  const file = `import { users } from '#server/database/schema/accounts.ts'\ndb.insert(users)`
  expect(complaintsAbout({ 'server/features/admin/other/other.ts': file })).toEqual([
    'server/features/admin/other/other.ts writes users: ask server/features/identity/accounts',
  ])
})

test('a table belongs to the module its file is named after', async () => {
  const owned = await readTables()
  expect(owned).toContainEqual({ name: 'users', sqlName: 'users', owner: 'features/identity/accounts' })
  expect(owned).toContainEqual({ name: 'attempts', sqlName: 'attempts', owner: 'security' })
  const exported = Object.entries(schema).flatMap(([name, value]) => (is(value, PgTable) ? name : []))
  expect(owned.map(({ name }) => name).toSorted()).toEqual(exported.toSorted())
})

test('a delete from a map or an update of a hash is no write to a table', () => {
  const code = 'waiting.delete(key)\ncreateHash(a).update(text)'
  expect(complaintsAbout({ 'server/features/admin/other/other.ts': code })).toEqual([])
})

test('a check that finds no writes does not pass', () => {
  expect(checkTables(new Map(), tables).complaints).toEqual([
    'no write to users was found',
    'no write to auditLog was found',
  ])
})
