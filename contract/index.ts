import { access } from './access/access.ts'
import { accessAdmin, reminders } from './access/access-admin.ts'
import { assets } from './access/assets.ts'
import { assetsAdmin } from './access/assets-admin.ts'
import { privatePackage } from './access/package.ts'
import { tradingViewAdmin } from './access/tradingview-admin.ts'
import { audit, jobs } from './admin/activity.ts'
import { checklist } from './admin/checklist.ts'
import { customers } from './admin/customers.ts'
import { exports } from './admin/exports.ts'
import { figures } from './admin/figures.ts'
import { imports } from './admin/imports.ts'
import { overview } from './admin/overview.ts'
import { search } from './admin/search.ts'
import { settings } from './admin/settings.ts'
import type { Endpoint } from './endpoint.ts'
import { accounts } from './identity/accounts.ts'
import { accountsAdmin } from './identity/accounts-admin.ts'
import { credentials } from './identity/credentials.ts'
import { factors } from './identity/factors.ts'
import { logins } from './identity/logins.ts'
import { customerData, staff } from './identity/staff.ts'
import { stepUp } from './identity/step-up.ts'
import { billing } from './selling/billing.ts'
import { bookkeeping } from './selling/bookkeeping.ts'
import { catalog } from './selling/catalog.ts'
import { checkout } from './selling/checkout.ts'
import { codes } from './selling/codes.ts'
import { declarations } from './selling/declarations.ts'
import { declarationsAdmin } from './selling/declarations-admin.ts'
import { disputes } from './selling/disputes.ts'
import { termsInForce } from './selling/legal/in-force.ts'
import { prices } from './selling/prices.ts'
import { purchases } from './selling/purchases.ts'
import { purchasesAdmin } from './selling/purchases-admin.ts'
import { stripeSetup } from './selling/stripe-setup.ts'
import { takeover } from './selling/takeover.ts'
import { contact } from './site/contact.ts'
import { messages } from './site/messages.ts'
import { newsletter } from './site/newsletter.ts'
import { newsletterAddresses, newsletters } from './site/newsletters.ts'
import { reviews } from './site/reviews.ts'
import { reviewsAdmin } from './site/reviews-admin.ts'
import { serviceMessages } from './site/service-messages.ts'

export const contract = {
  accounts,
  accountsAdmin,
  logins,
  stepUp,
  factors,
  credentials,
  staff,
  catalog,
  checkout,
  billing,
  bookkeeping,
  prices,
  termsInForce,
  codes,
  purchases,
  purchasesAdmin,
  takeover,
  access,
  accessAdmin,
  tradingViewAdmin,
  privatePackage,
  assets,
  assetsAdmin,
  reviews,
  reviewsAdmin,
  newsletter,
  checklist,
  newsletterAddresses,
  newsletters,
  serviceMessages,
  contact,
  messages,
  declarations,
  declarationsAdmin,
  disputes,
  customers,
  search,
  jobs,
  exports,
  imports,
  customerData,
  audit,
  figures,
  overview,
  reminders,
  stripeSetup,
  settings,
} satisfies Record<string, Record<string, Endpoint>>
