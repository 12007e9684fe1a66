import type { Context } from '#server/context.ts'
import type { Schedules } from '#server/jobs/queue.ts'
import type { Access } from '../access/access.ts'
import type { Identity } from '../identity/identity.ts'
import type { Selling } from '../selling/selling.ts'
import type { Site } from '../site/site.ts'
import { createCustomerDesk } from './customers/customers.ts'
import { createExports } from './exports/exports.ts'
import { createFailedJobs } from './failed-jobs/failed-jobs.ts'
import { createImports } from './imports/imports.ts'
import { createOverview } from './overview/overview.ts'
import { createSearch } from './search/search.ts'

type Others = { identity: Identity; selling: Selling; access: Access; site: Site }

export type Desk = ReturnType<typeof openDesk>

/** What the seller works with. */
export function openDesk(context: Context, { identity, selling, access, site }: Others) {
  const { accounts, sessions } = identity
  const { purchases } = selling
  const { room, privatePackage, assets } = access
  const customers = createCustomerDesk(context, {
    accounts,
    sessions,
    purchases,
    contact: site.contact,
    newsletter: site.newsletter,
    access: room,
    privatePackage,
    assets,
  })
  const imports = createImports(context, {
    accounts,
    purchases,
    prices: selling.prices,
    access: room,
  })
  const overview = createOverview(context, room, selling.proof)
  const schedules: Schedules = {
    digest: { cron: '5 6 * * *', run: overview.sendDigest },
  }

  return {
    customers,
    imports,
    overview,
    search: createSearch(context, accounts),
    exports: createExports(context),
    failedJobs: createFailedJobs(context),
    schedules,
  }
}
