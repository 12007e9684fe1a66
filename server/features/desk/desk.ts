import { contract } from '#contract/index.ts'
import type { Context, PeoplesRoom } from '#server/context.ts'
import type { StripeGateway } from '#server/gateways/stripe.ts'
import type { Doors } from '#server/http/mount.ts'
import type { Access } from '../access/access.ts'
import type { Identity } from '../identity/identity.ts'
import type { Selling } from '../selling/selling.ts'
import type { Site } from '../site/site.ts'
import { createCustomerDesk } from './customers/customers.ts'
import { customerRoutes } from './customers/routes.ts'
import { createExports } from './exports/exports.ts'
import { exportRoutes, newsletterAddressRoutes } from './exports/routes.ts'
import { createJobs } from './failed-jobs/failed-jobs.ts'
import { jobRoutes } from './failed-jobs/routes.ts'
import { createImports } from './imports/imports.ts'
import { importRoutes } from './imports/routes.ts'
import { createOverview } from './overview/overview.ts'
import { overviewRoutes } from './overview/routes.ts'
import { overviewSchedules } from './overview/schedules.ts'
import { searchRoutes } from './search/routes.ts'
import { createSearch } from './search/search.ts'

type Others = { stripe: StripeGateway; identity: Identity; selling: Selling; access: Access; site: Site }

/** What the seller works with. */
export function openDesk(context: Context, { stripe, identity, selling, access, site }: Others) {
  const customers = createCustomerDesk({ ...context, ...identity, ...selling, ...access, ...site })
  const overview = createOverview({ ...context, ...access })
  const exports = createExports(context)
  const people: PeoplesRoom[] = [customers]

  return {
    people,
    schedules: [overviewSchedules(overview)],

    mount({ mount }: Doors) {
      mount(contract.customers, customerRoutes(customers))
      mount(contract.search, searchRoutes(createSearch({ ...context, stripe, ...identity })))
      mount(contract.overview, overviewRoutes(overview))
      mount(contract.exports, exportRoutes(exports))
      mount(contract.newsletterAddresses, newsletterAddressRoutes(site.newsletter, exports))
      mount(contract.imports, importRoutes(createImports({ ...context, ...identity, ...selling, ...access })))
      mount(contract.jobs, jobRoutes(createJobs(context)))
    },
  }
}
