import { randomBytes } from 'node:crypto'
import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '#contract/index.ts'
import { createSecrets } from '../security/secrets.ts'
import { createUnmigratedTables } from '../testing/create-unmigrated-tables.ts'
import { describeSchema } from '../testing/describe-schema.ts'
import { openShop } from '../testing/open-shop.ts'
import { createTestDatabase } from '../testing/test-database.ts'
import { backup } from './backup.ts'
import { type Migration, readMigrations } from './migrations.ts'
import { restore } from './restore.ts'

const newKey = () => randomBytes(32).toString('hex')
const secretsKey = newKey()
const secrets = createSecrets(secretsKey)

let database: Awaited<ReturnType<typeof createTestDatabase>>
let backupText: string
let restoreWhileRunning: string
beforeAll(async () => {
  database = await createTestDatabase()
  await using shop = await openShop({ databaseUrl: database.url, env: { SECRETS_KEY: secretsKey } })
  await shop.buyer()
  // Characters that COPY escapes in its own way, and that others take for the end of a line.
  for (const message of ['ä', 'tab\t', 'line\nbreak', 'back\\slash', '\\.', 'a\u2028b', 'a\u0085b'])
    await shop.visitor().call(contract.contact.send, { firstName: 'A', lastName: 'B', email: 'a@example.com', message })
  await shop.settle()
  backupText = await backupOf(database.url)
  restoreWhileRunning = await restoreInto(database.url, backupText).then(() => 'restored', String)
})
afterAll(() => database.drop())

async function backupOf(url: string, signingSecrets = secrets) {
  const out = new PassThrough()
  const written = text(out)
  await backup(url, out, { secrets: signingSecrets, version: '1.2.3' })
  out.end()
  return written
}

type RestoreOptions = Partial<Parameters<typeof restore>[2]>
const restoreInto = (url: string, content: string, options: RestoreOptions = {}) =>
  restore(url, Readable.from([Buffer.from(content)]), { secrets, createUnmigratedTables, ...options })

const rowsIn = (content: string) => content.slice(content.indexOf('COPY '), content.lastIndexOf('-- signed'))

async function query(url: string, statement: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}

describe('a backup taken while the shop was running', () => {
  test('restores row for row into an empty database, and the shop keeps selling', async () => {
    const empty = await createTestDatabase({ empty: true })
    await restoreInto(empty.url, backupText)
    expect(rowsIn(await backupOf(empty.url))).toBe(rowsIn(backupText))
    expect(await describeSchema(empty.url)).toEqual(await describeSchema(database.url))
    await using restoredShop = await openShop({ databaseUrl: empty.url, env: { SECRETS_KEY: secretsKey } })
    const buyer = await restoredShop.buyer()
    expect(buyer.purchase.status).toBe('active')
    await restoredShop.close()
    await empty.drop()
  })

  test('says which migrations it has and which key it needs', () => {
    const header = JSON.parse(backupText.split('\n')[1]?.slice(3) ?? '')
    expect(header).toMatchObject({
      version: '1.2.3',
      key: secrets.keyId,
      migrations: readMigrations().map(({ hash }) => hash),
    })
  })

  test('is refused without its key, naming the fingerprint of the one it needs', async () => {
    const wrong = createSecrets(newKey())
    const { url } = database
    const needed = `needs the key with the fingerprint ${secrets.keyId}`
    await expect(restoreInto(url, backupText, { secrets: undefined })).rejects.toThrow(
      `${needed}, but this shop has none yet`,
    )
    await expect(restoreInto(url, backupText, { secrets: wrong })).rejects.toThrow(
      `${needed}, but this shop has ${wrong.keyId}`,
    )
    const rotated = createSecrets(newKey(), secretsKey)
    const empty = await createTestDatabase({ empty: true })
    await restoreInto(empty.url, backupText, { secrets: rotated })
    await restoreInto(empty.url, backupText, { secrets: wrong, unsigned: true })
    await empty.drop()
  })
})

describe('nothing changes when a backup', () => {
  const replaceOnce = (content: string, from: string | RegExp, to: string) => {
    const changed = content.replace(from, to)
    if (changed === content) throw new Error(`The backup contains no ${String(from)}`)
    return changed
  }
  const damages: Record<string, (content: string) => string> = {
    'was altered': (content) => replaceOnce(content, 'a@example.com', 'b@example.com'),
    'is cut off inside a table': (content) => content.slice(0, content.length / 2),
    'is cut off before its signature': (content) => content.slice(0, content.lastIndexOf('-- signed')),
    'is something else': () => 'not a backup',
    'would run a program': (content) => replaceOnce(content, 'FROM stdin;', `FROM PROGRAM 'touch /tmp/pwned';`),
    'would run a statement': (content) =>
      replaceOnce(content, /COPY public\.users/, 'COPY public.users; drop table users'),
    'names a system table': (content) => replaceOnce(content, 'COPY public.users ', 'COPY pg_catalog.pg_authid '),
    'names a column that does not exist': (content) => replaceOnce(content, '(id, email, name', '(id, email, now()'),
    'is missing a table': (content) => replaceOnce(content, /COPY public\.attempts[^]*?sha256 \w+\n/, ''),
    'contains a row twice': (content) =>
      replaceOnce(content, /(?<=COPY public\.contact_messages [^\n]*\n)([^\n]*\n)/, '$1$1'),
  }

  let rowsBefore: string
  beforeAll(async () => {
    rowsBefore = rowsIn(await backupOf(database.url))
  })

  test.each(Object.entries(damages))('%s', async (_, damage) => {
    const { url } = database
    await expect(restoreInto(url, damage(backupText))).rejects.toThrow(/backup/i)
    expect(rowsIn(await backupOf(url))).toBe(rowsBefore)
  })

  test('is restored while the shop is running', () => {
    expect(restoreWhileRunning).toMatch('The shop is running on this database: stop it first')
  })

  test('was re-signed by whoever tampered with it', async () => {
    const { url } = database
    const forged = replaceOnce(await backupOf(url, createSecrets(newKey())), /"key":"\w+"/, `"key":"${secrets.keyId}"`)
    await expect(restoreInto(url, forged)).rejects.toThrow('not signed by this shop')
  })
})

describe('another version', () => {
  const addition: Migration = {
    tag: '9999_notes',
    hash: 'f'.repeat(64),
    when: Date.now(),
    statements: [
      'create table notes (id int primary key)',
      `alter table users add column nickname text default 'none'`,
    ],
  }
  const newer = [...readMigrations(), addition]
  const unknownSchema = 'restore it with the version that ran on that database'

  async function upgrade(url: string) {
    await query(url, addition.statements.join(';'))
    await query(url, `insert into drizzle.__drizzle_migrations (hash) values ('${addition.hash}')`)
  }

  test('restores an older backup and brings it up to date', async () => {
    const empty = await createTestDatabase({ empty: true })
    const { upgradedBy } = await restoreInto(empty.url, backupText, { migrations: newer })
    expect(upgradedBy).toEqual(['9999_notes'])
    expect(await query(empty.url, 'select distinct nickname from users')).toEqual([{ nickname: 'none' }])
    await empty.drop()
  })

  test('is rolled back by the backup taken before the upgrade', async () => {
    const upgraded = await createTestDatabase({ empty: true })
    await restoreInto(upgraded.url, backupText)
    await upgrade(upgraded.url)
    await restoreInto(upgraded.url, backupText)
    expect(rowsIn(await backupOf(upgraded.url))).toBe(rowsIn(backupText))
    expect(await describeSchema(upgraded.url)).toEqual(await describeSchema(database.url))
    await upgraded.drop()
  })

  test('that is older refuses a backup from a newer one, and names the way out', async () => {
    const upgraded = await createTestDatabase()
    await upgrade(upgraded.url)
    await expect(restoreInto(upgraded.url, await backupOf(upgraded.url))).rejects.toThrow(unknownSchema)
    await upgraded.drop()
  })

  test('with another baseline refuses the backup', async () => {
    const changed = backupText.replace(readMigrations()[0]?.hash ?? '', '0'.repeat(64))
    await expect(restoreInto(database.url, changed)).rejects.toThrow(unknownSchema)
  })
})
