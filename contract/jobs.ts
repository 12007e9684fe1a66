import * as z from 'zod/mini'
import { endpoint, nothing, paging } from './endpoint.ts'
import { id, instant } from './fields.ts'

const failedJob = z.strictObject({
  id,
  /** The kind of job: `mail`, or the name of a schedule. */
  name: z.string(),
  /** What it was about, for people: `receipt to ada@example.com`. */
  about: z.string(),
  error: z.string(),
  tries: z.int(),
  failedAt: instant,
})
export type FailedJob = z.output<typeof failedJob>

export const jobs = {
  adminList: endpoint({
    method: 'GET',
    path: '/api/admin/failed-jobs',
    access: 'admin',
    summary: 'Jobs that are not tried any more, newest first',
    input: z.strictObject(paging),
    output: z.array(failedJob),
    answer: 'list',
  }),
  adminRetry: endpoint({
    method: 'POST',
    path: '/api/admin/failed-jobs/:id/retry',
    access: 'admin',
    summary: 'Run a failed job once more',
    input: z.strictObject({ id }),
    output: nothing,
  }),
  adminDiscard: endpoint({
    method: 'DELETE',
    path: '/api/admin/failed-jobs/:id',
    access: 'admin',
    summary: 'Give a failed job up',
    input: z.strictObject({ id }),
    output: nothing,
  }),
}
