import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { pino } from 'pino'
import { readConfig } from '../config.ts'
import { openEmbedded } from '../database/embedded.ts'
import { migrate } from '../database/migrate.ts'
import { reboundSigmaPro } from './book-purchase.ts'

/** Each shop under test gets a copy of the template. */
const urlVariable = 'TEST_POSTGRES_URL'
const template = 'shop_template'

/** Uses the server at DATABASE_URL, whose user must be able to create databases, or starts one. */
export async function openTestPostgres(): Promise<() => Promise<void>> {
  const existingUrl = process.env.DATABASE_URL
  const postgres = existingUrl ? { url: existingUrl, close: async () => {} } : await openOwn()
  process.env[urlVariable] = postgres.url
  // Tests that start a shop say where it finds its data.
  delete process.env.DATABASE_URL
  const dropTemplate = `drop database if exists ${template}`
  await administer(postgres.url, dropTemplate, `create database ${template}`)
  await fillTemplate(withDatabase(postgres.url, template))
  return async () => {
    await administer(postgres.url, dropTemplate)
    await postgres.close()
  }
}

/** Starts a shop once, for its tables, queues and sandbox prices, and deletes its other rows. */
async function fillTemplate(url: string) {
  await migrate(url)
  const { id, slug } = reboundSigmaPro
  await administer(url, `insert into products (id, slug, name) values ('${id}', '${slug}', '')`)
  // Only this process loads the whole server for it, and not every process that opens a database.
  const { startShop } = await import('../start.ts')
  const folder = mkdtempSync(join(tmpdir(), 'shop-template-'))
  const shop = await startShop(readConfig({ PORT: '0', DATA_DIR: folder, DATABASE_URL: url, TRADINGVIEW: 'off' }), {
    log: pino({ level: 'silent' }),
    withPages: false,
  })
  await shop.sandbox?.controls.webhooks.flush()
  await shop.queue.waitUntilIdle()
  await shop.close()
  rmSync(folder, { recursive: true })
  await administer(
    url,
    // Allows deleting the first admin's entry, which a trigger refuses.
    'alter table audit_log disable trigger user',
    'truncate users, audit_log restart identity cascade',
    'alter table audit_log enable trigger user',
    // A schedule would run at each start, for the times it has missed.
    'truncate jobs.job, jobs.schedule',
    // Some tests use another payment account.
    'truncate payment_account',
  )
}

async function openOwn() {
  const folder = mkdtempSync(join(memoryFolder() ?? tmpdir(), 'shop-test-'))
  const { url, superuserUrl, close } = await openEmbedded(folder)
  const { username, password } = new URL(url)
  await administer(
    superuserUrl,
    // The data is only for this run.
    'alter system set fsync = off',
    'alter system set synchronous_commit = off',
    'alter system set full_page_writes = off',
    'alter system set autovacuum = off',
    'select pg_reload_conf()',
    // Every new connection would otherwise hash the password 4096 times.
    'set scram_iterations = 1',
    `alter role ${username} createdb password '${password}'`,
  )
  return {
    url,
    async close() {
      await close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Linux's folder in memory, if it has space: on a disk, the copies take a sixth of the run. */
function memoryFolder() {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm')
    if (bavail * bsize > 4 * 1024 ** 3) return '/dev/shm'
  } catch {
    // Not Linux.
  }
}

export async function createTestDatabase({ empty = false } = {}): Promise<{ url: string; drop(): Promise<void> }> {
  const server = process.env[urlVariable]
  if (!server) throw new Error('Tests with a database need vitest or playwright, whose setup starts PostgreSQL')
  const name = `test_${randomBytes(8).toString('hex')}`
  // Copying files is half the work of copying pages through the log.
  const copy = `template ${template} strategy file_copy`
  await administer(server, `create database ${name} ${empty ? '' : copy}`)
  return {
    url: withDatabase(server, name),
    async drop() {
      const drop = `drop database if exists ${name}`
      // Only a superuser may end a vacuum by force. Without force, PostgreSQL cancels it itself.
      await administer(server, `${drop} with (force)`).catch(() => administer(server, drop))
    },
  }
}

async function administer(url: string, ...statements: string[]) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}

function withDatabase(url: string, name: string) {
  const changed = new URL(url)
  changed.pathname = `/${name}`
  return changed.href
}
