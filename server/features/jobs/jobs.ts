import type { Database } from '../../database/connect.ts'
import { notFound } from '../../errors.ts'
import type { Queue } from '../../jobs/queue.ts'
import type { Audit, AuditAction } from '../audit/audit.ts'

type Dependencies = { db: Database; queue: Queue; audit: Audit }
type Who = Pick<AuditAction, 'actor' | 'ip'>

export type Jobs = ReturnType<typeof createJobs>

/** What an admin can do about jobs that failed for good. */
export function createJobs({ db, queue, audit }: Dependencies) {
  const decide = (action: 'retry' | 'discard', id: string, who: Who) =>
    db.transaction(async (tx) => {
      if (!(await queue.failed[action](tx, id))) throw notFound('Failed job')
      await audit.record(tx, { ...who, action: `job.${action}`, subject: id })
    })

  return {
    list: queue.failed.list,
    retry: (id: string, who: Who) => decide('retry', id, who),
    discard: (id: string, who: Who) => decide('discard', id, who),
  }
}
