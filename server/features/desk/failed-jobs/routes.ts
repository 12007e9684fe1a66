import type { jobs as contract } from '#contract/desk/jobs.ts'
import type { Handlers } from '#server/http/mount.ts'
import type { Jobs } from './failed-jobs.ts'

export const jobRoutes = (jobs: Jobs): Handlers<typeof contract> => ({
  adminList: (input) => jobs.list(input),
  adminRetry: ({ id }, { actor }) => jobs.retry(actor, id),
  adminDiscard: ({ id }, { actor }) => jobs.discard(actor, id),
})
