import { sql } from 'drizzle-orm'
import { fromDrizzle, PgBoss } from 'pg-boss'
import type { Logger } from 'pino'
import type { Database, Transaction } from '../database/connect.ts'

/**
 * Work that happens later. A job is stored in the transaction of the change that asks for it, runs at least once
 * on one of the server processes, and is tried again with growing pauses when it fails.
 */
export type Queue = ReturnType<typeof createQueue>

export type JobOptions = {
  startAfter?: Date /** While a job with the same key waits, a second one is not stored. */
  singletonKey?: string
}

/** Stores a job together with the change that asks for it. */
export type Enqueue<Data> = (tx: Transaction | Database, data: Data, options?: JobOptions) => Promise<void>

type Registered = { name: string; cron?: string; run(data: object, job: { id: string }): Promise<void> }

const retries = { retryLimit: 12, retryDelay: 5, retryBackoff: true, retryDelayMax: 3600 }

export function createQueue({ url, log }: { url: string; log: Logger }) {
  const boss = new PgBoss({
    connectionString: url,
    schema: 'jobs',
    max: 3,
    useListenNotify: true,
    application_name: 'shop jobs',
  })
  boss.on('error', (error) => log.error({ err: error }, 'job queue'))
  const registered: Registered[] = []
  let running = false

  return {
    /** Names a kind of job and says how it is done. Call it before `start`. */
    job<Data extends object>(
      name: string,
      run: (data: Data, job: { id: string }) => Promise<void>,
    ): Enqueue<Data> {
      registered.push({ name, run: (data, job) => run(data as Data, job) })
      return async (tx, data, options = {}) => {
        await boss.send(name, data, { ...options, db: fromDrizzle(tx, sql) })
      }
    },

    /** Work by the clock (cron, UTC): one run at a time, however many processes there are. */
    schedule(name: string, cron: string, run: () => Promise<void>) {
      registered.push({ name, cron, run })
    },

    async start() {
      await boss.start()
      for (const { name, cron, run } of registered) {
        await boss.createQueue(name, {
          policy: cron ? 'exclusive' : 'standard',
          notify: true,
          ...retries,
          expireInSeconds: 600,
        })
        if (cron) await boss.schedule(name, cron)
        await boss.work(
          name,
          { pollingIntervalSeconds: 2, batchSize: 1, localConcurrency: cron ? 1 : 2 },
          async ([job]) => {
            if (!job) return
            try {
              await run(job.data ?? {}, { id: job.id })
            } catch (error) {
              log.error({ err: error, job: name, id: job.id }, 'job failed')
              throw error
            }
          },
        )
      }
      running = true
    },

    isRunning: () => running,

    /** Runs a scheduled job now. */
    async runNow(name: string) {
      const job = registered.find((candidate) => candidate.name === name)
      if (!job) throw new Error(`There is no job ${name}`)
      await job.run({}, { id: 'now' })
    },

    /** Resolves when nothing is due or running any more. */
    async idle() {
      for (;;) {
        const { rows } = await boss
          .getDb()
          .executeSql(
            `select 1 from jobs.job where name = any($1) and state in ('created', 'retry', 'active') and start_after <= now() limit 1`,
            [registered.map(({ name }) => name)],
          )
        if (rows.length === 0) return
        await new Promise((done) => setTimeout(done, 20))
      }
    },

    /** Lets running jobs finish; what waits stays stored. */
    async stop() {
      running = false
      await boss.stop({ graceful: true, timeout: 8000 })
    },
  }
}
