import { accessRequests } from './access-requests.ts'
import { accounts } from './accounts.ts'
import { assets } from './assets.ts'
import { audit } from './audit.ts'
import { billing } from './billing.ts'
import { catalog } from './catalog.ts'
import { checkout } from './checkout.ts'
import { contact } from './contact.ts'
import { credentials } from './credentials.ts'
import { customerData } from './customer-data.ts'
import { customers } from './customers.ts'
import { declarations } from './declarations.ts'
import type { Endpoint } from './endpoint.ts'
import { exports } from './exports.ts'
import { factors } from './factors.ts'
import { imports } from './imports.ts'
import { jobs } from './jobs.ts'
import { logins } from './logins.ts'
import { messages } from './messages.ts'
import { newsletter } from './newsletter.ts'
import { newsletterAddresses } from './newsletter-addresses.ts'
import { overview } from './overview.ts'
import { privatePackage } from './private-package.ts'
import { purchases } from './purchases.ts'
import { reminders } from './reminders.ts'
import { reviews } from './reviews.ts'
import { search } from './search.ts'
import { seats } from './seats.ts'
import { settings } from './settings.ts'
import { staff } from './staff.ts'
import { stepUp } from './step-up.ts'
import { stripeSetup } from './stripe-setup.ts'
import { tradingView } from './tradingview.ts'
import { tradingViewAdmin } from './tradingview-admin.ts'

/** Every call between browser and server, by room. */
export const contract = {
  accounts,
  logins,
  stepUp,
  factors,
  credentials,
  staff,
  catalog,
  checkout,
  billing,
  purchases,
  accessRequests,
  tradingView,
  tradingViewAdmin,
  seats,
  privatePackage,
  assets,
  reviews,
  newsletter,
  newsletterAddresses,
  contact,
  messages,
  declarations,
  customers,
  search,
  jobs,
  exports,
  imports,
  customerData,
  audit,
  overview,
  reminders,
  stripeSetup,
  settings,
} satisfies Record<string, Record<string, Endpoint>>
