import { sql } from 'drizzle-orm'
import pg from 'pg'
import { fromDrizzle, PgBoss } from 'pg-boss'
import type { Logger } from 'pino'
import type { Database, Transaction } from '../database/connect.ts'
import { lockMigrations } from '../database/migrate.ts'
import { type Kind, prepareQueues } from './kinds.ts'
import { listen } from './listen.ts'
import { installForgetTrigger, jobsSchema } from './schema.ts'
import { createFailedJobs, createStoredJobs, type Query } from './stored-jobs.ts'
import { createWorkers } from './workers.ts'

/** Jobs run at least once, and are retried for three days before an admin decides. */
export type Queue = ReturnType<typeof createQueue>

export type JobOptions = {
  /** A second job with the same id is not stored for as long as the first is kept. */
  id?: string
  /** A time, or seconds from now. */
  startAfter?: Date | number
  /** Jobs with a higher number run first. */
  priority?: number
  /** By default, an ended job is deleted after 30 days. */
  deleteAfterSeconds?: number
}

type SendOptions = JobOptions & { db?: ReturnType<typeof fromDrizzle> }

type JobSettings<Data> = {
  workers?: number
  describe?(data: Data): string
  /** Key of a job: at most one waits and one runs per key. A run reads the current state, so one is enough. */
  oneFor?(data: Data): string
}

export type Enqueue<Data> = (tx: Transaction | Database, data: Data, options?: JobOptions) => Promise<void>

/** pg-boss creates its schema without a lock, so two starts would collide. */
async function runUnderMigrationLock(url: string, work: () => Promise<void>) {
  const client = new pg.Client({ connectionString: url })
  // Ignored, because the query on this connection fails with the same error.
  client.on('error', () => undefined)
  await client.connect()
  try {
    await lockMigrations(client)
    await work()
  } finally {
    await client.end()
  }
}

export function createQueue({ url, log, withSchedules = true }: { url: string; log: Logger; withSchedules?: boolean }) {
  const connection = { connectionString: url, max: 3, keepAlive: true, query_timeout: 30_000 }
  const boss = new PgBoss({
    ...connection,
    schema: jobsSchema,
    schedule: withSchedules,
    application_name: 'shop jobs',
    superviseIntervalSeconds: 5,
    monitorIntervalSeconds: 5,
  })
  boss.on('error', (error) => log.warn({ err: error }, 'job queue'))
  boss.on('warning', (warning) => log.warn(warning, 'job queue'))

  const kinds = new Map<string, Kind>()
  let hasStarted = false
  let stopListening = async () => {}

  const query: Query = async (text, values) => (await boss.getDb().executeSql(text, values)).rows
  const workers = createWorkers({ boss, query, log })
  const stored = createStoredJobs({ kinds, query })

  /**
   * Changes the job of the key that waits, or stores one; `group` lets one job of the key run at a time. The waiting
   * job's row is locked until the caller commits, so the job runs after that. A postponed job becomes due, unless
   * `startAfter` is given.
   */
  async function upsertJob(name: string, key: string, data: object, { startAfter = 0, ...options }: SendOptions) {
    const upsertOptions = { ...options, startAfter, singletonKey: key, group: { id: key }, match: 'all' as const }
    let jobCount = 0
    // `upsert` returns no job if the waiting one began to run in between.
    while (jobCount === 0) jobCount = (await boss.upsert(name, data, upsertOptions)).jobs.length
  }

  function register(kind: Kind) {
    if (kinds.has(kind.name)) throw new Error(`There are two jobs named ${kind.name}`)
    kinds.set(kind.name, kind)
  }

  return {
    /** Call it before `start`. The result stores a job of this kind. */
    defineJob<Data extends object>(
      name: string,
      run: (data: Data, job: { id: string }) => Promise<void>,
      { workers: atOnce = 1, describe = () => '', oneFor }: JobSettings<Data> = {},
    ): Enqueue<Data> {
      register({
        name,
        workers: atOnce,
        describe: (data) => describe(data as Data),
        oneFor: oneFor && ((data) => oneFor(data as Data)),
        run: (data, job) => run(data as Data, job),
      })
      const send = async (data: Data, options: SendOptions) => {
        if (oneFor) await upsertJob(name, oneFor(data), data, options)
        else await boss.send(name, data, options)
      }
      return (tx, data, options = {}) => send(data, { ...options, db: fromDrizzle(tx, sql) })
    },

    /** Runs one at a time across all processes. */
    schedule(name: string, cron: string, run: () => Promise<void>, leaseSeconds?: number) {
      register({ name, cron, workers: 1, describe: () => '', run, leaseSeconds })
    },

    async start() {
      await runUnderMigrationLock(url, async () => {
        await boss.start()
        await installForgetTrigger(query)
        await prepareQueues(boss, kinds, withSchedules)
      })
      await workers.start(kinds)
      stopListening = listen(url, (name) => workers.wake([name]))
      hasStarted = true
    },

    isRunning: () => hasStarted,

    /** Makes a schedule due at once, in any process; has no effect while it waits or runs. */
    async trigger(name: string) {
      await boss.send(name)
    },

    /** Runs a schedule in this process and waits for it. For tests and the demo, like `waitUntilIdle`. */
    async runNow(name: string) {
      const kind = kinds.get(name)
      if (!kind?.cron) throw new Error(`There is no schedule ${name}`)
      await kind.run({}, { id: 'now' })
    },

    async waitUntilIdle() {
      for (let due = await stored.due(); due.length > 0; due = await stored.due()) {
        workers.wake(due.filter(({ isWaiting }) => isWaiting).map(({ name }) => name))
        await new Promise((done) => setTimeout(done, 20))
      }
    },

    /** Lets running jobs finish for up to 5 seconds. Unfinished and waiting jobs stay stored. */
    async stop() {
      hasStarted = false
      await stopListening()
      await workers.stop()
      await boss.stop({ graceful: false })
    },

    forget: stored.forget,
    depths: stored.depths,

    failed: createFailedJobs({ boss, kinds, query }),

    runs: workers.runs,
  }
}

/** `cron` is in UTC. A run that takes longer than its lease is started again. */
export type Schedules = Record<string, { cron: string; run: () => Promise<void>; leaseSeconds?: number }>

export function registerSchedules(queue: Pick<Queue, 'schedule'>, ...modules: Schedules[]) {
  for (const schedules of modules)
    for (const [name, { cron, run, leaseSeconds }] of Object.entries(schedules))
      queue.schedule(name, cron, run, leaseSeconds)
}
