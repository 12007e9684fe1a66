import { setTimeout as sleep } from 'node:timers/promises'
import { drizzle } from 'drizzle-orm/node-postgres'
import { migrate as runPending } from 'drizzle-orm/node-postgres/migrator'
import pg from 'pg'
import { StartError } from '../errors.ts'
import { paths } from '../paths.ts'
import { explainMissingRights, unreachable } from './connect.ts'
import { type Migration, readMigrations } from './migrations.ts'

/** Arbitrary id of the advisory lock; every process of the shop must use the same one. */
const migrationLock = 7_381_920_114

type Client = Pick<pg.ClientBase, 'query'>

type Options = {
  folder?: string
  /** Called before a database with data is migrated. Without it, such a migration is refused. */
  beforeUpgrade?(pending: Migration[]): Promise<void>
}

/** Runs in one transaction, under an advisory lock: servers that start at once wait for each other. */
export async function migrate(url: string, { folder = paths.migrations, beforeUpgrade = refuseUpgrade }: Options = {}) {
  const client = new pg.Client({ connectionString: url })
  await client.connect().catch((error: unknown) => {
    throw unreachable(url, error, 'DATABASE_DIRECT_URL or DATABASE_URL')
  })
  try {
    await lockMigrations(client)
    const migrations = readMigrations(folder)
    const applied = await appliedHashes(client)
    assertSameBaseline(migrations, applied)
    const pending = migrations.filter(({ hash }) => !applied.includes(hash))
    if (applied.length > 0 && pending.length > 0) await beforeUpgrade(pending)
    await runPending(drizzle(client), { migrationsFolder: folder })
  } catch (error) {
    throw explainMissingRights(url, error)
  } finally {
    await client.end()
  }
}

async function refuseUpgrade() {
  throw new StartError('This version changes the database. Start the shop with it once: it makes a backup first.')
}

/**
 * Takes the lock, which is held until the session ends. Polls instead of waiting in PostgreSQL, because
 * an index that pg-boss builds concurrently would wait for the waiting statement.
 */
export async function lockMigrations(client: Client) {
  const tryLock = async () => {
    const { rows } = await client.query<{ acquired: boolean }>('select pg_try_advisory_lock($1) as acquired', [
      migrationLock,
    ])
    return rows[0]?.acquired
  }
  while (!(await tryLock())) await sleep(100)
}

async function appliedHashes(client: Client): Promise<string[]> {
  const { rowCount } = await client.query(`select where to_regclass('drizzle.__drizzle_migrations') is not null`)
  const hasMigrationsTable = rowCount !== 0
  if (!hasMigrationsTable) return []
  const { rows } = await client.query<{ hash: string }>('select hash from drizzle.__drizzle_migrations')
  return rows.map(({ hash }) => hash)
}

function assertSameBaseline([baseline]: Migration[], applied: string[]) {
  const isEmpty = applied.length === 0
  const hasBaseline = baseline !== undefined && applied.includes(baseline.hash)
  if (isEmpty || hasBaseline) return
  throw new StartError(
    'This database was made by a version before 1.0.0 that cannot be upgraded, and nothing in it was changed: ' +
      'start with an empty database (a new DATA_DIR or DATABASE_URL), or go back to the version that made it.',
  )
}

/** Runs and records the given migrations in the caller's transaction, in a database that nobody else uses. */
export async function applyMigrations(client: Client, migrations: Migration[]) {
  await client.query('create schema if not exists drizzle')
  await client.query(
    'create table if not exists drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)',
  )
  for (const { statements, hash, when } of migrations) {
    for (const statement of statements) await client.query(statement)
    await client.query('insert into drizzle.__drizzle_migrations (hash, created_at) values ($1, $2)', [hash, when])
  }
}
