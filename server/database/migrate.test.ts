import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createTestDatabase } from '../testing/test-database.ts'
import { migrate } from './migrate.ts'
import { type Migration, readMigrations } from './migrations.ts'

let database: Awaited<ReturnType<typeof createTestDatabase>>
let client: pg.Client
beforeAll(async () => {
  database = await createTestDatabase()
  client = await open()
  await client.query('create table large as select n as id, n % 1000 as twice from generate_series(1, 2000) n')
})
afterAll(async () => {
  await client.end()
  await database.drop()
})

async function open() {
  const opened = new pg.Client({ connectionString: database.url })
  await opened.connect()
  return opened
}

const upTo = (...statements: string[]): Migration[] => {
  const tag = statements.join(';')
  return [...readMigrations(), { tag, hash: tag, when: Date.now(), statements }]
}

const valid = async (index: string) =>
  (await client.query(`select indisvalid from pg_index where indexrelid = to_regclass($1)`, [index])).rows

test('nobody is blocked by a migration that waits for a long reader', async () => {
  const reader = await open()
  await reader.query('begin')
  await reader.query('select count(*) from large')
  const migrated = migrate(database.url, upTo('alter table large add column note text'))
  await vi.waitFor(async () => {
    const { rows } = await client.query(
      `select from pg_locks where relation = 'large'::regclass and mode = 'AccessExclusiveLock' and not granted`,
    )
    expect(rows).toHaveLength(1)
  })
  // A queued lock would block this one until the reader is done.
  await client.query('insert into large (id) values (2001)')
  expect(await Promise.race([migrated, Promise.resolve('waits')])).toBe('waits')
  await reader.end()
  await migrated
  await client.query(`update large set note = 'there' where id = 2001`)
})

test('an index is built while others write, even after a start that was killed midway', async () => {
  const statement = 'CREATE UNIQUE INDEX CONCURRENTLY "large_twice" ON "large" USING btree ("twice")'
  await expect(migrate(database.url, upTo(statement))).rejects.toThrow('could not create unique index')
  expect(await valid('large_twice')).toEqual([{ indisvalid: false }])
  await client.query('delete from large where id > 1000')
  await migrate(database.url, upTo(statement))
  expect(await valid('large_twice')).toEqual([{ indisvalid: true }])
})

test('two servers that start at once build an index only once', async () => {
  const statement = 'CREATE INDEX CONCURRENTLY "large_note" ON "large" USING btree ("note")'
  await Promise.all([1, 2, 3].map(() => migrate(database.url, upTo(statement))))
  expect(await valid('large_note')).toEqual([{ indisvalid: true }])
})

test('a column is backfilled in batches, and only once', async () => {
  await client.query('create table steps (at bigint)')
  const statement = `-- in batches
    with chosen as (select id from large where note is null limit 300), filled as (
      update large set note = 'filled' where id in (select id from chosen) returning id
    ) insert into steps select count(*) from filled having count(*) > 0`
  await migrate(database.url, upTo(statement))
  await migrate(database.url, upTo(statement))
  expect((await client.query('select at::int from steps')).rows.map(({ at }) => at)).toEqual([300, 300, 300, 100])
})

test('long-running statements and transactional ones are not mixed', async () => {
  const mixed = upTo('CREATE INDEX CONCURRENTLY "large_id" ON "large" ("id")', 'alter table large add column x int')
  await expect(migrate(database.url, mixed)).rejects.toThrow('mixes')
})

describe('an upgrade that cannot be undone', () => {
  const oneWay = upTo('-- one way\ncreate table gone_for_good (id int)')

  test('is refused to a command: only a start makes the backup', async () => {
    await expect(migrate(database.url, oneWay)).rejects.toThrow('Start the shop with it once')
  })

  test('backs up once, whoever starts first, and not at all in a new shop', async () => {
    const backUp = vi.fn<() => Promise<void>>(async () => {
      expect((await client.query(`select to_regclass('gone_for_good') as made`)).rows).toEqual([{ made: null }])
    })
    await Promise.all([1, 2, 3].map(() => migrate(database.url, oneWay, backUp)))
    expect(backUp).toHaveBeenCalledTimes(1)
    const empty = await createTestDatabase({ empty: true })
    await migrate(empty.url, oneWay, backUp)
    expect(backUp).toHaveBeenCalledTimes(1)
    await empty.drop()
  })

  test('stays undone if the backup fails', async () => {
    const next = [...oneWay, ...upTo('-- one way\ncreate table after_that (id int)').slice(-1)]
    const full = () => Promise.reject(new Error('no space left on device'))
    await expect(migrate(database.url, next, full)).rejects.toThrow('no space left')
    expect((await client.query(`select to_regclass('after_that') as made`)).rows).toEqual([{ made: null }])
  })
})
