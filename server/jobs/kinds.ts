import type { PgBoss } from 'pg-boss'
import { retention } from '#contract/retention.ts'

export type Kind = {
  name: string
  cron?: string
  workers: number
  /** Key of a job; at most one job waits and one runs per key. */
  oneFor?: ((data: object) => string) | undefined
  /** Seconds that one run may take; 600 by default. A killed process is noticed earlier, by its missing heartbeat. */
  leaseSeconds?: number | undefined
  describe(data: object): string
  run(data: object, job: { id: string }): Promise<void>
}

export type Kinds = ReadonlyMap<string, Kind>

/** Without a heartbeat of its process, a job goes to another process after about 15 seconds. */
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

function policyOf({ cron, oneFor }: Kind) {
  if (cron) return 'exclusive'
  // One waiting job per key. With `stately`, a job whose key is running would hold up all jobs behind it.
  return oneFor ? 'short' : 'standard'
}

/** Also removes the schedules of other kinds. */
export async function prepareQueues(boss: PgBoss, kinds: Kinds) {
  const [queues, schedules] = await Promise.all([boss.getQueues(), boss.getSchedules()])
  const storedQueue = new Map(queues.map((queue) => [queue.name, queue]))
  const storedCron = new Map(schedules.map(({ name, cron }) => [name, cron]))
  await Promise.all([
    ...[...kinds.values()].map(async (kind) => {
      const options = optionsOf(kind)
      const policy = policyOf(kind)
      const stored = storedQueue.get(kind.name)
      if (stored && stored.policy !== policy)
        throw new Error(`${kind.name} is stored as ${stored.policy}, which cannot change: it needs a new name`)
      if (!stored) await boss.createQueue(kind.name, { ...options, policy })
      else if (Object.entries(options).some(([name, value]) => stored[name as keyof typeof options] !== value))
        await boss.updateQueue(kind.name, options)
      // Runs that were missed while no server ran are made up by one run at the next start.
      if (kind.cron && storedCron.get(kind.name) !== kind.cron)
        await boss.schedule(kind.name, kind.cron, null, { missed: 'once' })
    }),
    ...[...storedCron.keys()].filter((name) => !kinds.get(name)?.cron).map((name) => boss.unschedule(name)),
  ])
}
