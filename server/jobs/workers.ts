import type { Job, JobResult, PgBoss } from 'pg-boss'
import type { Logger } from 'pino'
import { Counter } from 'prom-client'
import { PermanentFailure } from '../errors.ts'
import { messageOf } from '../process/log.ts'
import type { Kind, Kinds } from './kinds.ts'
import type { Query } from './stored-jobs.ts'

type Dependencies = { boss: PgBoss; query: Query; log: Logger }

export function createWorkers({ boss, query, log }: Dependencies) {
  const kindByWorker = new Map<string, string>()
  const runs = new Counter({
    name: 'shop_job_runs_total',
    help: 'Jobs run.',
    labelNames: ['kind', 'result'],
    registers: [],
  })

  async function startWorker(kind: Kind) {
    const { name, cron, oneFor } = kind
    const polling = { perJobResults: true as const, pollingIntervalSeconds: cron ? 30 : 5 }
    // `groupConcurrency` lets one job of a key run at a time.
    const options = oneFor ? { ...polling, groupConcurrency: 1 } : polling
    const worker = await boss.work(name, options, async ([job]): Promise<JobResult[]> => {
      if (!job) return []
      // Checks for another job at once, instead of after the polling interval.
      boss.notifyWorker(worker)
      return [{ id: job.id, ...(await attempt(kind, job)) }]
    })
    kindByWorker.set(worker, name)
  }

  async function attempt(kind: Kind, { id, data: stored }: Job<unknown>) {
    const data = (stored as object | null) ?? {}
    try {
      if (kind.cron || kind.oneFor) await forgetFailures(kind.name, id, kind.oneFor?.(data))
      await kind.run(data, { id })
      runs.inc({ kind: kind.name, result: 'succeeded' })
      return { status: 'completed' } as const
    } catch (error) {
      runs.inc({ kind: kind.name, result: 'failed' })
      log.error({ err: error, job: kind.name, id }, 'job failed')
      const output = { message: messageOf(error) }
      // `deadletter` fails the job without further retries.
      return { status: error instanceof PermanentFailure ? 'deadletter' : 'failed', output } as const
    }
  }

  /** Deletes older failures of a schedule or a keyed job: only the latest matters, and none after a success. */
  const forgetFailures = (name: string, id: string, key: string | undefined) =>
    query(
      `delete from jobs.job where name = $1 and state in ('retry', 'failed') and id <> $2 and ($3::text is null or singleton_key = $3)`,
      [name, id, key],
    )

  return {
    async start(kinds: Kinds) {
      for (const kind of kinds.keys()) for (const result of ['succeeded', 'failed']) runs.inc({ kind, result }, 0)
      for (const kind of kinds.values()) for (let n = 0; n < kind.workers; n++) await startWorker(kind)
    },

    wake(names: string[]) {
      for (const [worker, name] of kindByWorker) if (names.includes(name)) boss.notifyWorker(worker)
    },

    async stop() {
      const finished = Promise.all([...new Set(kindByWorker.values())].map((name) => boss.offWork(name)))
      const timeout = AbortSignal.timeout(5000)
      await Promise.race([finished, new Promise((done) => timeout.addEventListener('abort', done))])
    },

    /** Counts of this process only. */
    runs,
  }
}
