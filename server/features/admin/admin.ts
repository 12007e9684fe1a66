import type { Context } from '#server/context.ts'
import type { Schedules } from '#server/jobs/queue.ts'
import type { Areas } from './areas.ts'
import { createChecklist } from './checklist/checklist.ts'
import { createCustomers } from './customers/customers.ts'
import { createExports } from './exports/exports.ts'
import { createFailedJobs } from './failed-jobs/failed-jobs.ts'
import { createImports } from './imports/imports.ts'
import { createOverview } from './overview/overview.ts'
import { createSearch } from './search/search.ts'

export type AdminArea = ReturnType<typeof openAdminArea>

export function openAdminArea(context: Context, areas: Areas) {
  const overview = createOverview(context, areas)
  const schedules: Schedules = {
    digest: { cron: '5 6 * * *', run: overview.sendDigest },
    'tell-of-sales': { cron: '*/5 * * * *', run: overview.letters.tellOfSales },
    'sales-of-day': { cron: '6 6 * * *', run: overview.letters.tellOfDay },
    'monday-letter': { cron: '10 6 * * 1', run: overview.letters.sendLetter },
  }

  return {
    overview,
    checklist: createChecklist(context),
    customers: createCustomers(context, areas),
    imports: createImports(context, areas),
    search: createSearch(context),
    exports: createExports(context),
    failedJobs: createFailedJobs(context),
    schedules,
  }
}
