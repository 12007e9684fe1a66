import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { openEmbedded } from '#server/database/embedded.ts'
import { nobody, postgresBinaries } from '#server/database/embedded-place.ts'
import { freePort } from '#server/database/free-port.ts'

/** A shop as its own process on a PostgreSQL of its own, so that both can be hurt. */
export type Victim = Awaited<ReturnType<typeof openVictim>>

export const admin = { email: 'seller@fault.example', password: 'the seller of this shop' }

const entry = fileURLToPath(new URL('./shop.ts', import.meta.url))

export async function openVictim({
  env = {},
  dataDir = mkdtempSync(join(tmpdir(), 'shop-fault-')),
}: {
  env?: Record<string, string>
  dataDir?: string
} = {}) {
  const postgres = await openEmbedded(dataDir)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  let child = await start()

  async function start(): Promise<ChildProcess> {
    const started = spawn(process.execPath, [entry], {
      env: {
        ...process.env,
        PORT: String(port),
        HOST: '127.0.0.1',
        DATA_DIR: dataDir,
        DATABASE_URL: postgres.url,
        LOG_LEVEL: 'error',
        ADMIN_EMAIL: admin.email,
        ADMIN_PASSWORD: admin.password,
        ...env,
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    for (let tries = 0; tries < 300; tries++) {
      if (started.exitCode !== null) throw new Error(`The shop stopped with ${started.exitCode}`)
      const ready = await fetch(`${url}/readyz`).then(
        (response) => response.ok,
        () => false,
      )
      if (ready) return started
      await sleep(50)
    }
    throw new Error('The shop did not start')
  }

  const postmaster = () =>
    Number(readFileSync(join(postgres.folder, 'postmaster.pid'), 'utf8').split('\n')[0])

  return {
    url,
    port,
    dataDir,
    databaseUrl: postgres.url,
    folder: postgres.folder,
    postmaster,
    /** On the same port as before, as after a failover. */
    startPostgres() {
      const options = `--options=-p ${new URL(postgres.url).port}`
      const args = [
        'start',
        '--wait',
        '--silent',
        `--pgdata=${postgres.folder}`,
        `--log=${postgres.folder}.log`,
        options,
      ]
      spawnSync(join(postgresBinaries(), 'bin', 'pg_ctl'), args, { ...nobody, cwd: '/', stdio: 'ignore' })
    },
    pid: () => child.pid ?? 0,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    async stop(signal: NodeJS.Signals = 'SIGTERM') {
      if (!this.isAlive()) return child.exitCode
      const exited = once(child, 'exit')
      child.kill(signal)
      const [code] = await exited
      return code as number | null
    },
    async startAgain() {
      child = await start()
    },
    async query<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
      const client = new pg.Client({ connectionString: postgres.url })
      await client.connect()
      try {
        return (await client.query<Row>(text, values)).rows
      } finally {
        await client.end()
      }
    },
    async close() {
      await this.stop()
      await postgres.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
