import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { paths } from '../paths.ts'
import { describeSchema } from '../testing/describe-schema.ts'
import { openShop } from '../testing/open-shop.ts'
import { createTestDatabase } from '../testing/test-database.ts'
import { migrate } from './migrate.ts'

let database: Awaited<ReturnType<typeof createTestDatabase>>
const folders: string[] = []
beforeEach(async () => {
  database = await createTestDatabase()
})
afterEach(async () => {
  await database.drop()
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

async function query(url: string, statement: string, values: unknown[] = []) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(statement, values)).rows
  } finally {
    await client.end()
  }
}

function migrationsWithNext(sql: string) {
  const folder = mkdtempSync(join(tmpdir(), 'shop-migrations-'))
  folders.push(folder)
  cpSync(paths.migrations, folder, { recursive: true })
  const journal = join(folder, 'meta/_journal.json')
  const content = JSON.parse(readFileSync(journal, 'utf8'))
  const [baseline] = content.entries
  content.entries.push({ ...baseline, idx: 1, tag: '0001_next', when: baseline.when + 1 })
  writeFileSync(journal, JSON.stringify(content))
  writeFileSync(join(folder, '0001_next.sql'), sql)
  return folder
}

const tableExists = async (table: string) => {
  const [row] = await query(database.url, 'select to_regclass($1) as name', [table])
  return row.name !== null
}

test('servers that start at once on an empty database create it once', async () => {
  const empty = await createTestDatabase({ empty: true })
  await Promise.all([1, 2, 3].map(() => migrate(empty.url)))
  expect(await query(empty.url, 'select count(*)::int from drizzle.__drizzle_migrations')).toEqual([{ count: 1 }])
  await empty.drop()
})

describe('an upgrade', () => {
  test('is refused to commands, because only a start makes the backup', async () => {
    const folder = migrationsWithNext('create table notes (id int)')
    await expect(migrate(database.url, { folder })).rejects.toThrow('Start the shop with it once')
    expect(await tableExists('notes')).toBe(false)
  })

  test('is prepared once when several servers start, and runs', async () => {
    const folder = migrationsWithNext('create table notes (id int)')
    const beforeUpgrade = vi.fn<() => Promise<void>>(async () => expect(await tableExists('notes')).toBe(false))
    await Promise.all([1, 2, 3].map(() => migrate(database.url, { folder, beforeUpgrade })))
    expect(beforeUpgrade).toHaveBeenCalledTimes(1)
    expect(await tableExists('notes')).toBe(true)
  })

  test('changes nothing if the backup before it fails', async () => {
    const folder = migrationsWithNext('create table notes (id int)')
    const beforeUpgrade = () => Promise.reject(new Error('no space left on device'))
    await expect(migrate(database.url, { folder, beforeUpgrade })).rejects.toThrow('no space left')
    expect(await tableExists('notes')).toBe(false)
  })

  test('that fails halfway changes nothing', async () => {
    const folder = migrationsWithNext(
      'create table notes (id int);--> statement-breakpoint\ncreate table notes (id int);',
    )
    await expect(migrate(database.url, { folder, beforeUpgrade: async () => {} })).rejects.toThrow('Failed query')
    expect(await tableExists('notes')).toBe(false)
  })

  test('can be rolled back to the version before, which starts on the newer schema', async () => {
    const folder = migrationsWithNext('create table notes (id int)')
    await migrate(database.url, { folder, beforeUpgrade: async () => {} })
    await migrate(database.url)
    expect(await tableExists('notes')).toBe(true)
  })
})

test('a database from before this baseline is refused in one sentence, and nothing in it changes', async () => {
  await query(database.url, `update drizzle.__drizzle_migrations set hash = 'of an older baseline'`)
  const schemaBefore = await describeSchema(database.url)
  await expect(openShop({ databaseUrl: database.url })).rejects.toThrow(
    'This database was made by a version before 1.0.0 that cannot be upgraded, and nothing in it was changed: start with an empty database',
  )
  expect(await describeSchema(database.url)).toEqual(schemaBefore)
  expect(await query(database.url, 'select hash from drizzle.__drizzle_migrations')).toEqual([
    { hash: 'of an older baseline' },
  ])
})
