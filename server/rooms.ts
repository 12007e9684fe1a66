import type { Logger } from 'pino'
import { partyOf } from '#contract/selling/legal/text.ts'
import { createAudit } from './audit/audit.ts'
import type { Config } from './config.ts'
import type { Connection } from './database/connect.ts'
import {
  carryAccessOver,
  createAccessRequests,
  endAccess,
} from './features/access/access-requests/access-requests.ts'
import { createAssets } from './features/access/assets/assets.ts'
import { createEntitlements } from './features/access/entitlements/entitlements.ts'
import { createPrivatePackage } from './features/access/package/package.ts'
import { createReminders } from './features/access/reminders/reminders.ts'
import {
  createAccess,
  createReconcile,
  createTradingView,
  createTradingViewAdmin,
} from './features/access/tradingview/tradingview.ts'
import { createCustomerDesk } from './features/desk/customers/customers.ts'
import { createExports } from './features/desk/exports/exports.ts'
import { createImports } from './features/desk/imports/imports.ts'
import { createJobs } from './features/desk/jobs/jobs.ts'
import { createOverview } from './features/desk/overview/overview.ts'
import { createSearch } from './features/desk/search/search.ts'
import type { ShopSettings } from './features/desk/settings/settings.ts'
import { createAccounts, createCustomerData, createDeletion } from './features/identity/accounts/accounts.ts'
import { createFactors } from './features/identity/factors/factors.ts'
import { createSessions } from './features/identity/sessions/sessions.ts'
import {
  createCheckout,
  createCheckouts,
  createCustomers,
  wantedPrices,
} from './features/selling/checkout/checkout.ts'
import { createDeclarations, endOpenLinks } from './features/selling/declarations/declarations.ts'
import { createPurchases, eventTypes } from './features/selling/purchases/purchases.ts'
import { createSeats } from './features/selling/seats/seats.ts'
import { createStripeSetup } from './features/selling/stripe-setup/stripe-setup.ts'
import { createContact } from './features/site/contact/contact.ts'
import { createNewsletter } from './features/site/newsletter/newsletter.ts'
import { createReviews } from './features/site/reviews/reviews.ts'
import type { MailTransport } from './gateways/mail.ts'
import type { StripeGateway } from './gateways/stripe.ts'
import type { TradingViewGateway } from './gateways/tradingview.ts'
import type { Queue } from './jobs/queue.ts'
import { createMails, type MailSite, sellersAddress } from './mails/mails.ts'
import { createAttempts } from './security/attempts.ts'
import { createEmailQuestions } from './security/email-questions.ts'
import type { Passwords } from './security/passwords.ts'
import type { Secrets } from './security/secrets.ts'
import { createSecurityLog } from './security/security-log.ts'
import { createRefuseShopAddress } from './security/shop-addresses.ts'

export type RoomDependencies = {
  config: Config
  settings: ShopSettings
  /** Where emails go, in words. */
  mailsGoTo: string
  connection: Connection
  queue: Queue
  transport: MailTransport
  stripe: StripeGateway
  tradingViewGateway: TradingViewGateway
  secrets: Secrets
  passwords: Passwords
  log: Logger
  now: () => Date
  /** Where a test may end the process; nothing in production. */
  crashPoint: (name: string) => void
}

/** Builds every room and hands each what it needs: nothing is global. */
export function createRooms(deps: RoomDependencies) {
  const { config, connection, stripe, secrets, passwords, log, now } = deps
  const { consumerLaw } = config
  const common = createCommon(deps)
  const { mails, audit, attempts, securityLog } = common
  const selling = createSelling(deps, common)
  const { sessions, factors, customers, accounts, checkouts, tradingView } = selling
  const { entitlements, seats, accessRequests, purchases } = selling
  const reviews = createReviews(common)
  const contact = createContact(common)
  const newsletter = createNewsletter({ ...common, secrets })
  const declarations = createDeclarations({ ...common, secrets, purchases, consumerLaw })

  const access = createAccess({ tradingView, entitlements, accessRequests })
  const privatePackage = createPrivatePackage({ links: () => deps.settings.live.package, entitlements })
  const assets = createAssets({ ...common, entitlements })
  const customerDesk = createCustomerDesk({ ...common, ...selling, contact, access, privatePackage, assets })

  /** Every room that stores something about people, for "my data". */
  const personalData = [
    accounts,
    sessions,
    factors,
    purchases,
    checkouts,
    customers,
    accessRequests,
    entitlements,
    tradingView,
    seats,
    reviews,
    declarations,
    contact,
    mails,
    customerDesk,
    audit,
  ]

  return {
    /** What emails say about the shop, for their preview. */
    mailSite: common.site,
    audit,
    mails,
    attempts,
    securityLog,
    ...selling,
    reviews,
    declarations,
    deletion: createDeletion({
      ...common,
      passwords,
      rooms: [
        // Before the accounts: it asks which address was theirs.
        contact,
        entitlements,
        seats,
        accounts,
        factors,
        accessRequests,
        purchases,
        reviews,
        checkouts,
        customers,
        sessions,
        declarations,
        mails,
        customerDesk,
      ],
      endSubscriptionsOf: purchases.endAllOf,
      forgetAddress: mails.forgetAddress,
    }),
    personalData,
    customerData: createCustomerData({ ...common, rooms: personalData, contact, newsletter }),
    access,
    tradingViewAdmin: createTradingViewAdmin({ tradingView, entitlements, accessRequests }),
    reconcileTradingView: createReconcile(tradingView, entitlements),
    newsletter,
    contact,
    imports: createImports({ ...common, accounts, purchases, accessRequests, entitlements }),
    privatePackage,
    assets,
    customerDesk,
    search: createSearch({ ...common, stripe, accounts }),
    exports: createExports({ connection, now, audit }),
    overview: createOverview({ ...common, accessRequests, settings: deps.settings }),
    reminders: createReminders({ ...common, accounts }),
    jobs: createJobs(common),
    stripeSetup: createStripeSetup({
      stripe,
      now,
      log,
      secretKey: config.stripe?.secretKey,
      publicUrl: config.publicUrl,
      events: eventTypes,
      prices: wantedPrices(),
    }),
  }
}

/** What almost every room works with. */
function createCommon(deps: RoomDependencies) {
  const { config, connection, queue, transport, secrets, settings, log, now } = deps
  const { db } = connection
  const site = mailSite(config, settings, secrets)
  return {
    db,
    now,
    queue,
    site,
    // The address may change while the shop runs.
    supportEmail: sellersAddress,
    mails: createMails({ db, now, queue, transport, site }),
    audit: createAudit({ db, now }),
    attempts: createAttempts({ db, now }),
    securityLog: createSecurityLog(log),
    refuseShopAddress: createRefuseShopAddress(() => [settings.live.supportEmail, config.admin.email]),
  }
}

/** From an account to a purchase to access on TradingView: the rooms that need each other. */
function createSelling(deps: RoomDependencies, common: ReturnType<typeof createCommon>) {
  const { config, stripe, secrets, passwords, log, crashPoint } = deps
  const questions = createEmailQuestions(common)
  // Off in most tests, where every visitor has the same address.
  if (!config.rateLimits) questions.ask = async () => {}

  const sessions = createSessions(common)
  const factors = createFactors({
    ...common,
    passwords,
    secrets,
    sessions,
    staffNeedFactor: config.staffNeedFactor,
    publicUrl: config.publicUrl,
  })
  const customers = createCustomers({ ...common, stripe })
  const accounts = createAccounts({
    ...common,
    passwords,
    questions,
    linkToken: secrets.linkToken,
    isLinkToken: secrets.isLinkToken,
    accountChanged: customers.accountChanged,
    endOpenLinks: (tx, userId) => endOpenLinks(tx, userId, common.now()),
  })
  const checkouts = createCheckouts(common)
  const tradingView = createTradingView({
    ...common,
    secrets,
    gateway: deps.tradingViewGateway,
    crashPoint,
  })
  const entitlements = createEntitlements({ ...common, deliver: tradingView.deliver })
  const seats = createSeats(common)
  const accessRequests = createAccessRequests({
    ...common,
    secrets,
    accounts,
    entitlements,
    askExchangeKeys: config.askExchangeKeys,
    connector: { isOn: tradingView.isOn, isWorking: tradingView.isWorking, verify: tradingView.deliver },
  })
  const purchases = createPurchases({
    ...common,
    stripe,
    accounts,
    checkouts,
    access: {
      purchasesChanged: entitlements.refresh,
      purchaseEnded: endAccess,
      purchaseReplaced: carryAccessOver,
      usernameGiven: accessRequests.claim,
    },
    seats,
    consumerLaw: config.consumerLaw,
    log,
    crashPoint,
    isLinkToken: secrets.isLinkToken,
  })
  const checkout = createCheckout({
    ...common,
    stripe,
    checkouts,
    customers,
    purchases,
    questions,
    seats,
    wantsTax: config.tax.mode === 'stripe',
    crashPoint,
  })
  return {
    sessions,
    factors,
    customers,
    accounts,
    checkouts,
    tradingView,
    entitlements,
    seats,
    accessRequests,
    purchases,
    checkout,
  }
}

function mailSite(config: Config, { live }: ShopSettings, { linkToken }: Secrets): MailSite {
  const { publicUrl, consumerLaw, tax } = config
  return {
    publicUrl,
    linkToken,
    consumerLaw,
    taxNote: tax.note,
    get supportEmail() {
      return live.supportEmail
    },
    get sender() {
      const { name, street, city, country } = live.seller
      return [name, street, city, country].filter(Boolean).join(', ')
    },
    get party() {
      return partyOf(live.seller, { supportEmail: live.supportEmail, publicUrl })
    },
  }
}
