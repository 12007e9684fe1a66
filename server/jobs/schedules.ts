import type { Queue } from './queue.ts'

/** What a room does on a schedule: each one by name, with a cron line in UTC. A run that takes longer than its lease is started again. */
export type Schedules = Record<string, { cron: string; run: () => Promise<void>; leaseSeconds?: number }>

export function registerSchedules(queue: Pick<Queue, 'schedule'>, ...rooms: Schedules[]) {
  for (const schedules of rooms)
    for (const [name, { cron, run, leaseSeconds }] of Object.entries(schedules))
      queue.schedule(name, cron, run, leaseSeconds)
}
