import type { Actor } from '#server/actor.ts'
import type { Audit } from '#server/audit/audit.ts'
import type { Database } from '#server/database/connect.ts'
import { notFound } from '#server/errors.ts'
import type { Queue } from '#server/jobs/queue.ts'

type Dependencies = { db: Database; queue: Queue; audit: Audit }

export type Jobs = ReturnType<typeof createJobs>

/** What an admin can do about jobs that failed permanently. */
export function createJobs({ db, queue, audit }: Dependencies) {
  const decide = (actor: Actor, action: 'retry' | 'discard', id: string) =>
    db.transaction(async (tx) => {
      if (!(await queue.failed[action](tx, id))) throw notFound('Failed job')
      await audit.record(tx, actor, { action: `job.${action}`, subject: id })
    })

  return {
    list: queue.failed.list,
    retry: (actor: Actor, id: string) => decide(actor, 'retry', id),
    discard: (actor: Actor, id: string) => decide(actor, 'discard', id),
  }
}
