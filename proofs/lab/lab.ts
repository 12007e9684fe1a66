import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { openEmbedded } from '#server/database/embedded.ts'
import { nobody, postgresBinaries } from '#server/database/embedded-place.ts'
import { isRunning } from './measures.ts'
import { openProcess } from './shop-process.ts'

/** Connects for each query, because the database may go down at any moment. */
export async function query<Row extends pg.QueryResultRow>(
  url: string,
  text: string,
  values?: unknown[],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return (await client.query<Row>(text, values)).rows
  } finally {
    await client.end()
  }
}

export type Lab = Awaited<ReturnType<typeof openLab>>
export type LabShop = Awaited<ReturnType<Lab['openShop']>>

/** Each shop gets a copy of an initialized database. */
export async function openLab() {
  const home = mkdtempSync(join(tmpdir(), 'shop-lab-'))
  const { url, superuserUrl, folder, close } = await openEmbedded(home)
  const firstShop = await openProcess({ DATA_DIR: home, DATABASE_URL: url })
  // The shop creates its admin after it is ready.
  while ((await query(url, 'select 1 from users')).length === 0) await sleep(20)
  await firstShop.stop()
  const place = { home, url, superuserUrl, folder }
  return {
    ...labAt(place),
    place,
    async close() {
      await close()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

type LabPaths = { home: string; url: string; superuserUrl: string; folder: string }

export function labAt({ home, url, superuserUrl, folder }: LabPaths) {
  async function createDatabase({ empty = false } = {}) {
    const name = `lab_${randomBytes(4).toString('hex')}`
    const address = new URL(superuserUrl)
    address.pathname = '/postgres'
    await query(address.href, `create database ${name} ${empty ? '' : 'template shop'}`)
    address.pathname = `/${name}`
    return address.href
  }

  const postmaster = () => Number(readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n')[0])

  return {
    createDatabase,
    postmaster,
    /** Fast mode cuts clients off, like a failover does. */
    async restart() {
      const pid = postmaster()
      process.kill(pid, 'SIGINT')
      while (isRunning(pid)) await sleep(5)
      const pgCtl = join(postgresBinaries(), 'bin', 'pg_ctl')
      const options = [`--pgdata=${folder}`, `--log=${folder}.log`, `--options=-p ${new URL(url).port}`]
      spawnSync(pgCtl, ['start', '--wait', '--silent', ...options], { ...nobody, cwd: '/', stdio: 'ignore' })
    },
    async openShop(env: Record<string, string> = {}) {
      const databaseUrl = await createDatabase()
      const dataDir = mkdtempSync(join(tmpdir(), 'shop-lab-data-'))
      cpSync(join(home, 'cache'), join(dataDir, 'cache'), { recursive: true })
      const shop = await openProcess({ DATA_DIR: dataDir, DATABASE_URL: databaseUrl, ...env })
      return {
        ...shop,
        dataDir,
        databaseUrl,
        query: <Row extends pg.QueryResultRow>(text: string, values: unknown[] = []) =>
          query<Row>(databaseUrl, text, values),
        async close() {
          await shop.stop()
          rmSync(dataDir, { recursive: true, force: true })
        },
      }
    },
  }
}

/** Size of the filled shop that the budgets assume. */
export const size = { users: 30_000, purchases: 100_000 }

export function fillShop({ databaseUrl, dataDir }: LabShop) {
  const demo = ['scripts/demo.ts', '--users', String(size.users), '--purchases', String(size.purchases)]
  const env = { ...process.env, DATABASE_URL: databaseUrl, DATA_DIR: dataDir }
  const { status } = spawnSync(process.execPath, demo, { env, stdio: 'inherit' })
  if (status !== 0) throw new Error('The demo could not fill the shop')
}
