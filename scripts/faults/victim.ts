import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { openEmbedded } from '#server/database/embedded.ts'
import { nobody, postgresBinaries } from '#server/database/embedded-place.ts'
import { openProcess } from './process.ts'

/** A shop in a process of its own, on a database and a PostgreSQL that can be hurt too. */
export type Victim = Awaited<ReturnType<Postgres['openVictim']>>
export type Postgres = Awaited<ReturnType<typeof openPostgres>>

/** One PostgreSQL for all rows; each victim gets a copy of a database in which a shop was opened once. */
export async function openPostgres() {
  const home = mkdtempSync(join(tmpdir(), 'shop-fault-'))
  const postgres = await openEmbedded(home)
  const first = await openProcess({ DATA_DIR: home, DATABASE_URL: postgres.url })
  // It makes its admin after it is ready.
  while ((await query(postgres.url, 'select 1 from users')).length === 0) await sleep(20)
  await first.stop()

  /** A copy of the opened shop's database, or an empty one. */
  async function createDatabase({ empty = false } = {}) {
    const name = `victim_${randomBytes(4).toString('hex')}`
    const address = new URL(postgres.superuserUrl)
    address.pathname = '/postgres'
    await query(address.href, `create database ${name} ${empty ? '' : 'template shop'}`)
    address.pathname = `/${name}`
    return address.href
  }

  const postmaster = () =>
    Number(readFileSync(join(postgres.folder, 'postmaster.pid'), 'utf8').split('\n')[0])

  return {
    async openVictim(env: Record<string, string> = {}) {
      const databaseUrl = await createDatabase()
      const dataDir = mkdtempSync(join(tmpdir(), 'shop-victim-'))
      const shop = await openProcess({ DATA_DIR: dataDir, DATABASE_URL: databaseUrl, ...env })
      return {
        ...shop,
        dataDir,
        databaseUrl,
        createDatabase,
        postmaster,
        /** On the same port as before, as after a failover. */
        startPostgres() {
          const args = [
            'start',
            '--wait',
            '--silent',
            `--pgdata=${postgres.folder}`,
            `--log=${postgres.folder}.log`,
            `--options=-p ${new URL(postgres.url).port}`,
          ]
          spawnSync(join(postgresBinaries(), 'bin', 'pg_ctl'), args, { ...nobody, cwd: '/', stdio: 'ignore' })
        },
        query: <Row extends pg.QueryResultRow>(text: string, values: unknown[] = []) =>
          query<Row>(databaseUrl, text, values),
        async close() {
          await shop.stop()
          rmSync(dataDir, { recursive: true, force: true })
        },
      }
    },
    async close() {
      await postgres.close()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

async function query<Row extends pg.QueryResultRow>(
  url: string,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Row>(text, values)).rows
  } finally {
    await client.end()
  }
}
