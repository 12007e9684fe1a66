import { endpoint } from '../endpoint.ts'
import { id, instant, paging } from '../fields.ts'
import { object } from '../schema.ts'

const failedJob = object((z) => ({
  id: id(z),
  /** The kind of job: `mail`, or the name of a schedule. */
  name: z.string(),
  /** A human-readable description: `receipt to ada@example.com`. */
  about: z.string(),
  error: z.string(),
  tries: z.int(),
  failedAt: instant(z),
}))

export const jobs = {
  adminList: endpoint('GET /api/admin/failed-jobs', {
    summary: 'Jobs that have failed permanently, newest first',
    input: object(paging),
    output: (z) => z.array(failedJob(z)),
    answer: 'list',
  }),
  adminRetry: endpoint('POST /api/admin/failed-jobs/:id/retry', { summary: 'Run a failed job again' }),
  adminDiscard: endpoint('DELETE /api/admin/failed-jobs/:id', { summary: 'Discard a failed job' }),
}
