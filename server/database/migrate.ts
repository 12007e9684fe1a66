import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { StartError } from '../errors.ts'
import { unreachable, withoutRights } from './connect.ts'
import { concurrentIndex, isInBatches, isOneWay, isOnline, type Migration, readMigrations } from './migrations.ts'

const triggers = fileURLToPath(new URL('./triggers.sql', import.meta.url))

/** Any number will do, as long as every server process of the shop uses the same one. */
const migrationLock = 7_381_920_114

type Client = Pick<pg.ClientBase, 'query'>

/**
 * Brings the schema up to date while others sell: a table is locked only for a moment, and slow work (an index, a
 * backfill) runs outside of transactions and resumes at the next start if interrupted.
 * Two servers may start at the same time: the lock lets one go first. A shop that could not go back afterwards is backed
 * up first.
 */
export async function migrate(url: string, migrations = readMigrations(), backUp = refuseOneWay) {
  const client = new pg.Client({ connectionString: url })
  await client.connect().catch((error: unknown) => {
    throw unreachable(url, error, 'DATABASE_DIRECT_URL or DATABASE_URL')
  })
  try {
    await waitForOthers(client)
    const done = await prepare(client)
    const pending = migrations.filter(({ hash }) => !done.has(hash))
    if (done.size > 0 && pending.some(isOneWay)) await backUp()
    for (const migration of pending) {
      if (migration.statements.some(isOnline)) await runOnline(client, migration)
      else await patiently(client, () => runAtOnce(client, migration))
    }
    await addTriggers(client)
  } catch (error) {
    throw withoutRights(url, error)
  } finally {
    // Ends the session, and the lock with it.
    await client.end()
  }
}

async function refuseOneWay() {
  throw new StartError(
    'This version changes the database for good. Start the shop with it once: it makes a backup first.',
  )
}

/** Until the session ends, no other server migrates. It polls: a concurrent index build would wait for a waiting statement. */
export async function waitForOthers(client: Client) {
  const isFirst = async () => {
    const { rows } = await client.query<{ first: boolean }>('select pg_try_advisory_lock($1) as first', [migrationLock])
    return rows[0]?.first
  }
  while (!(await isFirst())) await sleep(100)
}

/** Runs everything in the caller's transaction, on tables that no one else uses. */
export async function migrateInside(client: Client, migrations: Migration[]) {
  const done = await prepare(client)
  for (const migration of migrations.filter(({ hash }) => !done.has(hash))) {
    for (const statement of migration.statements) {
      if (isInBatches(statement)) await untilNothingIsLeft(client, statement)
      else await client.query(concurrentIndex(statement) ? statement.replace(/concurrently/i, '') : statement)
    }
    await record(client, migration)
  }
}

/** What migrations cannot express. Safe to repeat. */
export async function addTriggers(client: Client) {
  await client.query(await readFile(triggers, 'utf8'))
}

/** The hashes of the migrations applied to this database, kept where drizzle keeps them. */
async function prepare(client: Client): Promise<Set<string>> {
  // Ships with every PostgreSQL; the search indexes need it, and drizzle-kit does not write it.
  await client.query('create extension if not exists pg_trgm')
  await client.query('create schema if not exists drizzle')
  await client.query(
    'create table if not exists drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)',
  )
  const { rows } = await client.query<{ hash: string }>('select hash from drizzle.__drizzle_migrations')
  return new Set(rows.map(({ hash }) => hash))
}

const record = (client: Client, { hash, when }: Migration) =>
  client.query('insert into drizzle.__drizzle_migrations (hash, created_at) values ($1, $2)', [hash, when])

async function runAtOnce(client: Client, migration: Migration) {
  await client.query('begin')
  try {
    for (const statement of migration.statements) await client.query(statement)
    await record(client, migration)
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}

async function runOnline(client: Client, migration: Migration) {
  const short = migration.statements.find((statement) => !isOnline(statement))
  if (short)
    throw new Error(`${migration.tag} mixes long-running statements with ones that need a transaction: ${short}`)
  for (const statement of migration.statements) {
    const index = concurrentIndex(statement)
    if (index) await buildIndex(client, index, statement)
    else await untilNothingIsLeft(client, statement)
  }
  await record(client, migration)
}

/** A killed start leaves an invalid index, which PostgreSQL maintains but never uses. */
async function buildIndex(client: Client, name: string, statement: string) {
  const { rows } = await client.query<{ valid: boolean }>(
    `select indisvalid as valid from pg_index where indexrelid = to_regclass(quote_ident($1))`,
    [name],
  )
  if (rows[0]?.valid) return
  if (rows[0]) await client.query(`drop index concurrently "${name}"`)
  await client.query(statement)
}

async function untilNothingIsLeft(client: Client, statement: string) {
  while ((await client.query(statement)).rowCount) await sleep(5)
}

/** Waiting for a table holds up everyone behind: so it gives up after a moment, lets them pass and tries again. */
async function patiently(client: Client, work: () => Promise<void>) {
  await client.query(`set lock_timeout = '200ms'`)
  for (let tries = 1; ; tries++) {
    try {
      await work()
      break
    } catch (error) {
      if ((error as { code?: string }).code !== '55P03') throw error
      if (tries === 300)
        throw new StartError(
          'A table has been locked for minutes: end the query that holds it (see pg_stat_activity), then start again.',
        )
      await sleep(400)
    }
  }
  await client.query('reset lock_timeout')
}
