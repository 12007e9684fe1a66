import type { PgBoss, QueueResult } from 'pg-boss'
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
  // 72 tries, at most an hour apart, are about three days. A schedule comes again by itself.
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

/** Also removes the schedules of other kinds. Without `withSchedules`, it stores none. */
export async function prepareQueues(boss: PgBoss, kinds: Kinds, withSchedules: boolean) {
  const [queues, schedules] = await Promise.all([boss.getQueues(), boss.getSchedules()])
  const queueByName = new Map(queues.map((queue) => [queue.name, queue]))
  const cronByName = new Map(schedules.map(({ name, cron }) => [name, cron]))

  async function prepare(kind: Kind) {
    const { name, cron } = kind
    await storeQueue(boss, kind, queueByName.get(name))
    // Runs that were missed while no server ran are made up by one run at the next start.
    if (withSchedules && cron && cronByName.get(name) !== cron)
      await boss.schedule(name, cron, null, { missed: 'once' })
  }

  const removedSchedules = [...cronByName.keys()].filter((name) => !kinds.get(name)?.cron)
  await Promise.all([...[...kinds.values()].map(prepare), ...removedSchedules.map((name) => boss.unschedule(name))])
}

async function storeQueue(boss: PgBoss, kind: Kind, stored: QueueResult | undefined) {
  const options = optionsOf(kind)
  const policy = policyOf(kind)
  if (!stored) {
    await boss.createQueue(kind.name, { ...options, policy })
    return
  }
  if (stored.policy !== policy)
    throw new Error(`${kind.name} is stored as ${stored.policy}, which cannot change: it needs a new name`)
  const hasChanged = Object.entries(options).some(([name, value]) => stored[name as keyof typeof options] !== value)
  if (hasChanged) await boss.updateQueue(kind.name, options)
}
