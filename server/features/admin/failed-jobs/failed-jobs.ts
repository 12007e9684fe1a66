import type { Actor } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import { notFound } from '#server/errors.ts'
import type { Queue } from '#server/jobs/queue.ts'

type FailedJobDeps = Pick<Context, 'db' | 'queue' | 'audit'>

export type FailedJobs = {
  list: Queue['failed']['list']
  retry(actor: Actor, id: string): Promise<void>
  discard(actor: Actor, id: string): Promise<void>
}

export function createFailedJobs({ db, queue, audit }: FailedJobDeps): FailedJobs {
  const settle = (actor: Actor, action: 'retry' | 'discard', id: string) =>
    db.transaction(async (tx) => {
      const isFound = await queue.failed[action](tx, id)
      if (!isFound) throw notFound('Failed job')
      await audit.record(tx, actor, { action: `job.${action}`, subject: id })
    })

  return {
    list: queue.failed.list,
    retry: (actor, id) => settle(actor, 'retry', id),
    discard: (actor, id) => settle(actor, 'discard', id),
  }
}
