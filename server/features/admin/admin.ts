import type { Context } from '#server/context.ts'
import type { Schedules } from '#server/jobs/queue.ts'
import type { Areas } from './areas.ts'
import { type Checklist, createChecklist } from './checklist/checklist.ts'
import { type Customers, createCustomers } from './customers/customers.ts'
import { createDisputeScreen, type DisputeScreen } from './disputes/disputes.ts'
import { createExports, type Exports } from './exports/exports.ts'
import { createFailedJobs, type FailedJobs } from './failed-jobs/failed-jobs.ts'
import { createImports, type Imports } from './imports/imports.ts'
import { createOverview, type Overview } from './overview/overview.ts'
import { createSearch, type Search } from './search/search.ts'

type AdminContext = Pick<
  Context,
  | 'attempts'
  | 'audit'
  | 'catalog'
  | 'config'
  | 'connection'
  | 'db'
  | 'mails'
  | 'now'
  | 'paymentAccount'
  | 'queue'
  | 'settings'
  | 'site'
  | 'supportEmail'
>

export type AdminArea = {
  overview: Overview
  checklist: Checklist
  customers: Customers
  disputes: DisputeScreen
  imports: Imports
  search: Search
  exports: Exports
  failedJobs: FailedJobs
  schedules: Schedules
}

export function openAdminArea(context: AdminContext, areas: Areas): AdminArea {
  const overview = createOverview(context, areas)
  const schedules: Schedules = {
    digest: { cron: '5 6 * * *', run: overview.sendDigest },
    'tell-of-sales': { cron: '*/5 * * * *', run: overview.letters.sendSaleEmails },
    'sales-of-day': { cron: '6 6 * * *', run: overview.letters.sendDailySales },
    'monday-letter': { cron: '10 6 * * 1', run: overview.letters.sendMondayLetter },
  }

  return {
    overview,
    checklist: createChecklist(context),
    customers: createCustomers(context, areas),
    disputes: createDisputeScreen(context, areas),
    imports: createImports(context, areas),
    search: createSearch(context),
    exports: createExports(context),
    failedJobs: createFailedJobs(context),
    schedules,
  }
}
