import type { PgBoss } from 'pg-boss'
import { retention } from '#contract/retention.ts'

export type Kind = {
  name: string
  cron?: string
  workers: number
  /** Key of a job: at most one waits and one runs per key. */
  oneFor?: ((data: object) => string) | undefined
  /** How long one run may take. A killed process is noticed by its heartbeat, long before. */
  leaseSeconds?: number | undefined
  describe(data: object): string
  run(data: object, job: { id: string }): Promise<void>
}

export type Kinds = ReadonlyMap<string, Kind>

/** A killed process misses its heartbeat, and its job goes to another after about 15 seconds. */
const optionsOf = ({ cron, leaseSeconds = 600 }: Kind) => ({
  retryLimit: cron ? 3 : 72,
  retryDelay: 1,
  retryBackoff: true,
  retryDelayMax: 3600,
  heartbeatSeconds: 10,
  expireInSeconds: leaseSeconds,
  deleteAfterSeconds: (cron ? 7 : retention.jobs.days) * 86_400,
  notify: true,
})

/** Short: one waiting job for each key. Not `stately`: there, a job that waits for its like holds up everyone behind it. */
const policyOf = ({ cron, oneFor }: Kind) => (cron ? 'exclusive' : oneFor ? 'short' : 'standard')

/** Brings stored queues up to date with this version and drops schedules that it no longer has. */
export async function prepareQueues(boss: PgBoss, kinds: Kinds) {
  const [queues, schedules] = await Promise.all([boss.getQueues(), boss.getSchedules()])
  const storedQueue = new Map(queues.map((queue) => [queue.name, queue]))
  const storedCron = new Map(schedules.map(({ name, cron }) => [name, cron]))
  await Promise.all([
    ...[...kinds.values()].map(async (kind) => {
      const [options, stored] = [optionsOf(kind), storedQueue.get(kind.name)]
      const policy = policyOf(kind)
      if (stored && stored.policy !== policy)
        throw new Error(`${kind.name} is stored as ${stored.policy}, which cannot change: it needs a new name`)
      if (!stored) await boss.createQueue(kind.name, { ...options, policy })
      else if (Object.entries(options).some(([name, value]) => stored[name as keyof typeof options] !== value))
        await boss.updateQueue(kind.name, options)
      // Due while no server ran: done once at the next start.
      if (kind.cron && storedCron.get(kind.name) !== kind.cron)
        await boss.schedule(kind.name, kind.cron, null, { missed: 'once' })
    }),
    ...[...storedCron.keys()].filter((name) => !kinds.get(name)?.cron).map((name) => boss.unschedule(name)),
  ])
}
