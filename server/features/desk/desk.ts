import { contract } from '#contract/index.ts'
import type { Context } from '#server/context.ts'
import type { StripeGateway } from '#server/gateways/stripe.ts'
import type { Doors } from '#server/http/mount.ts'
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
import {
  customerRoutes,
  exportRoutes,
  failedJobRoutes,
  figureRoutes,
  importRoutes,
  newsletterAddressRoutes,
  newsletterRoutes,
  overviewRoutes,
  searchRoutes,
} from './routes.ts'
import { createSearch } from './search/search.ts'

type Others = { stripe: StripeGateway; identity: Identity; selling: Selling; access: Access; site: Site }

/** What the seller works with. */
export function openDesk(context: Context, { stripe, identity, selling, access, site }: Others) {
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
  const exports = createExports(context)
  const schedules: Schedules = {
    digest: { cron: '5 6 * * *', run: overview.sendDigest },
  }

  return {
    schedules: [schedules],

    mount({ mount }: Doors) {
      mount(contract.customers, customerRoutes(customers))
      mount(contract.search, searchRoutes(createSearch(context, { stripe, accounts })))
      mount(contract.figures, figureRoutes(overview, exports))
      mount(contract.overview, overviewRoutes(overview))
      mount(contract.exports, exportRoutes(exports))
      mount(contract.newsletterAddresses, newsletterAddressRoutes(site.newsletter, exports))
      mount(contract.newsletters, newsletterRoutes(site.newsletter))
      mount(contract.imports, importRoutes(imports))
      mount(contract.jobs, failedJobRoutes(createFailedJobs(context)))
    },
  }
}
