import { sql } from 'drizzle-orm'
import { fromDrizzle, type Job, type JobResult, PgBoss } from 'pg-boss'
import type { Logger } from 'pino'
import type { Database, Transaction } from '../database/connect.ts'
import { PermanentFailure } from '../errors.ts'
import { messageOf } from '../process/log.ts'
import { createFailedJobs, type Query } from './failed-jobs.ts'

/**
 * Work that happens later. A job is stored in the transaction of the change that asks for it, runs at least once
 * on one of the server processes, and is tried again with growing pauses when it fails: for about three days, or
 * not at all after a PermanentFailure. Then it waits for an admin. See `failed-jobs.ts`.
 */
export type Queue = ReturnType<typeof createQueue>

export type JobOptions = {
  /** A second job with the same id is not stored, for as long as the first is kept. */
  id?: string
  startAfter?: Date
  /** While a job with the same key waits, a second one is not stored. */
  singletonKey?: string
}

/** Stores a job together with the change that asks for it. */
export type Enqueue<Data> = (tx: Transaction | Database, data: Data, options?: JobOptions) => Promise<void>

type Kind = {
  name: string
  cron?: string
  workers: number
  /** What a job is about, for people. */
  describe(data: object): string
  run(data: object, job: { id: string }): Promise<void>
}

/**
 * The job of a process that was killed misses its heartbeat, and is given to another after about 15 seconds.
 * Failed and finished jobs are kept for 30 days, runs of a schedule for 7.
 */
const optionsOf = ({ cron }: Kind) => ({
  retryLimit: cron ? 3 : 72,
  retryDelay: 1,
  retryBackoff: true,
  retryDelayMax: 3600,
  heartbeatSeconds: 10,
  expireInSeconds: 600,
  deleteAfterSeconds: (cron ? 7 : 30) * 86_400,
  notify: true,
})

export function createQueue({ url, log }: { url: string; log: Logger }) {
  const connection = { connectionString: url, max: 3, keepAlive: true, query_timeout: 30_000 }
  const boss = new PgBoss({
    ...connection,
    schema: 'jobs',
    application_name: 'shop jobs',
    useListenNotify: true,
    superviseIntervalSeconds: 5,
    monitorIntervalSeconds: 5,
  })
  boss.on('error', (error) => log.warn({ err: error }, 'job queue'))
  boss.on('warning', (warning) => log.warn(warning, 'job queue'))

  const kinds = new Map<string, Kind>()
  const workerIds = new Map<string, string>()
  const runs = new Map<string, { succeeded: number; failed: number }>()
  let running = false

  const query: Query = async (text, values) => (await boss.getDb().executeSql(text, values)).rows

  function register(kind: Kind) {
    if (kinds.has(kind.name)) throw new Error(`There are two jobs named ${kind.name}`)
    kinds.set(kind.name, kind)
    runs.set(kind.name, { succeeded: 0, failed: 0 })
  }

  /** What is stored may be of an older release: queues are brought up to date, gone schedules are dropped. */
  async function prepare() {
    const [queues, schedules] = await Promise.all([boss.getQueues(), boss.getSchedules()])
    const storedQueue = new Map(queues.map((queue) => [queue.name, queue]))
    const storedCron = new Map(schedules.map(({ name, cron }) => [name, cron]))
    await Promise.all([
      ...[...kinds.values()].map(async (kind) => {
        const [options, stored] = [optionsOf(kind), storedQueue.get(kind.name)]
        if (!stored)
          await boss.createQueue(kind.name, { ...options, policy: kind.cron ? 'exclusive' : 'standard' })
        else if (
          Object.entries(options).some(([name, value]) => stored[name as keyof typeof options] !== value)
        )
          await boss.updateQueue(kind.name, options)
        // Due while no server ran: done once at the next start.
        if (kind.cron && storedCron.get(kind.name) !== kind.cron)
          await boss.schedule(kind.name, kind.cron, null, { missed: 'once' })
      }),
      ...[...storedCron.keys()].filter((name) => !kinds.get(name)?.cron).map((name) => boss.unschedule(name)),
    ])
  }

  async function work(kind: Kind) {
    const { name, cron } = kind
    const worker = await boss.work(
      name,
      { perJobResults: true, pollingIntervalSeconds: 2, notifyPollingIntervalSeconds: cron ? 30 : 5 },
      async ([job]): Promise<JobResult[]> => {
        if (!job) return []
        // There may be more: look again at once instead of after the polling pause.
        boss.notifyWorker(worker)
        return [{ id: job.id, ...(await attempt(kind, job)) }]
      },
    )
    workerIds.set(worker, name)
  }

  async function attempt(kind: Kind, { id, data }: Job<unknown>) {
    const count = runs.get(kind.name)
    try {
      if (kind.cron) await forgetFailures(kind.name)
      await kind.run((data as object | null) ?? {}, { id })
      if (count) count.succeeded += 1
      return { status: 'completed' } as const
    } catch (error) {
      if (count) count.failed += 1
      log.error({ err: error, job: kind.name, id }, 'job failed')
      const output = { message: messageOf(error) }
      return { status: error instanceof PermanentFailure ? 'deadletter' : 'failed', output } as const
    }
  }

  /** Of a schedule only the latest failure matters, and none once it runs again. */
  const forgetFailures = (name: string) =>
    query(`delete from jobs.job where name = $1 and state = 'failed'`, [name])

  return {
    /** Names a kind of job and says how it is done. Call it before `start`. */
    job<Data extends object>(
      name: string,
      run: (data: Data, job: { id: string }) => Promise<void>,
      { workers = 1, describe = () => '' }: { workers?: number; describe?(data: Data): string } = {},
    ): Enqueue<Data> {
      register({
        name,
        workers,
        describe: (data) => describe(data as Data),
        run: (data, job) => run(data as Data, job),
      })
      return async (tx, data, options = {}) => {
        await boss.send(name, data, { ...options, db: fromDrizzle(tx, sql) })
      }
    },

    /** Work by the clock (cron, UTC): one run at a time, however many processes there are. */
    schedule(name: string, cron: string, run: () => Promise<void>) {
      register({ name, cron, workers: 1, describe: () => '', run })
    },

    async start() {
      await boss.start()
      await prepare()
      for (const kind of kinds.values()) for (let n = 0; n < kind.workers; n++) await work(kind)
      running = true
    },

    isRunning: () => running,

    /** Makes a schedule due at once, in any of the processes; not a second time while it waits or runs. */
    async trigger(name: string) {
      await boss.send(name)
    },

    /** Runs a scheduled job now. */
    async runNow(name: string) {
      const kind = kinds.get(name)
      if (!kind?.cron) throw new Error(`There is no schedule ${name}`)
      await kind.run({}, { id: 'now' })
    },

    /** Resolves when nothing is due or running any more. */
    async idle() {
      for (;;) {
        const due = await query(
          `select 1 from jobs.job where name = any($1) and state in ('created', 'retry', 'active') and start_after <= now() limit 1`,
          [[...kinds.keys()]],
        )
        if (due.length === 0) return
        for (const worker of workerIds.keys()) boss.notifyWorker(worker)
        await new Promise((done) => setTimeout(done, 20))
      }
    },

    /** Lets running jobs finish for a while; what waits, and what must be cut short, stays stored. */
    async stop() {
      running = false
      const finished = Promise.all([...new Set(workerIds.values())].map((name) => boss.offWork(name)))
      const patience = AbortSignal.timeout(5000)
      await Promise.race([finished, new Promise((done) => patience.addEventListener('abort', done))])
      await boss.stop({ graceful: false })
    },

    /** Jobs that are not tried any more. */
    failed: createFailedJobs({ boss, kinds, query }),

    /** How many jobs of each kind are in which state, and for how long the oldest has been due. */
    depths: () =>
      query<{ name: string; state: string; count: number; seconds: number }>(
        `select name, state, count(*)::int as count,
           greatest(0, extract(epoch from now() - min(greatest(created_on, start_after))))::float as seconds
         from jobs.job where name = any($1) and state <> 'completed' group by name, state order by name, state`,
        [[...kinds.keys()]],
      ),

    /** How often each kind of job succeeded and failed in this process. */
    runs: runs as ReadonlyMap<string, Readonly<{ succeeded: number; failed: number }>>,
  }
}
