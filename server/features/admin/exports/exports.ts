import { PassThrough } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import type { Actor } from '#server/actor.ts'
import { createSemaphore } from '#server/concurrency/semaphore.ts'
import type { Context } from '#server/context.ts'
import { Refusal } from '#server/errors.ts'
import { copyStatement, type ExportFilter, type FileKind } from './tables.ts'

type ExportDeps = Pick<Context, 'connection' | 'db' | 'now' | 'audit'>

/** CSV files. PostgreSQL writes them and the server streams them, so that memory use does not grow with the rows. */
export type Exports = {
  download(actor: Actor, kind: FileKind, filter?: ExportFilter): Promise<{ name: string; stream: PassThrough }>
}

export type { ExportFilter, FileKind }

/** Each export holds its own connection for as long as it runs. */
const maxRunningExports = 2

export function createExports({ connection, db, now, audit }: ExportDeps): Exports {
  const runningExports = createSemaphore({
    atOnce: maxRunningExports,
    maxWaiting: 0,
    refusal: () =>
      new Refusal(429, 'too-many', 'Two exports are already running. Please wait until one is done.', {
        retryAfterSeconds: 10,
      }),
  })

  /** Connects, and ends the connection after the work. A lost connection fails the work instead of ending the process. */
  async function withClient(work: (client: pg.Client) => Promise<void>) {
    const client = new pg.Client({ connectionString: connection.readUrl, application_name: 'shop export' })
    client.on('error', () => {})
    try {
      await client.connect()
      await work(client)
    } finally {
      await client.end()
    }
  }

  const cancelQuery = (pid: number | undefined) =>
    withClient(async (client) => void (await client.query('select pg_cancel_backend($1)', [pid])))

  const writeCsv = (statement: string, target: PassThrough) =>
    withClient(async (client) => {
      const { rows } = await client.query<{ pid: number }>(
        `select pg_backend_pid() as pid, set_config('datestyle', 'ISO', false), set_config('work_mem', '16MB', false)`,
      )
      client.on('error', (error) => target.destroy(error))
      try {
        // Excel recognizes UTF-8 by this byte order mark.
        target.write('\uFEFF')
        await pipeline(client.query(copyTo(statement)), target)
      } catch (error) {
        // Usually the reader disconnected, so PostgreSQL can stop writing.
        await cancelQuery(rows[0]?.pid)
        throw error
      }
    })

  return {
    async download(actor, kind, filter = {}) {
      const filterName = filter.state ?? filter.period
      const release = await runningExports.acquire()
      const stream = new PassThrough()
      stream.once('close', release)
      try {
        await audit.record(db, actor, {
          action: 'export.download',
          subject: filterName ? `${kind}, ${filterName}` : kind,
        })
      } catch (error) {
        stream.destroy()
        throw error
      }
      writeCsv(copyStatement(kind, filter), stream).catch((error: Error) => stream.destroy(error))
      const day = now().toISOString().slice(0, 10)
      return { name: `${[kind, filterName, day].filter(Boolean).join('-')}.csv`, stream }
    },
  }
}
