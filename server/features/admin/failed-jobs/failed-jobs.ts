import type { Actor } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import { notFound } from '#server/errors.ts'

export function createFailedJobs({ db, queue, audit }: Pick<Context, 'db' | 'queue' | 'audit'>) {
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
