import type { Logger } from 'pino'
import { partyOf } from '#contract/legal/text.ts'
import type { Config } from './config.ts'
import type { Connection } from './database/connect.ts'
import { createAccessRequests } from './features/access-requests/access-requests.ts'
import { createAccounts, createCustomerData, createDeletion } from './features/accounts/accounts.ts'
import { createAssets } from './features/assets/assets.ts'
import { createAudit } from './features/audit/audit.ts'
import {
  createCheckout,
  createCheckouts,
  createCustomers,
  wantedPrices,
} from './features/checkout/checkout.ts'
import { createContact } from './features/contact/contact.ts'
import { createDeclarations } from './features/declarations/declarations.ts'
import { createEntitlements } from './features/entitlements/entitlements.ts'
import { createExports } from './features/exports/exports.ts'
import { createFactors } from './features/factors/factors.ts'
import { createImports } from './features/imports/imports.ts'
import { createJobs } from './features/jobs/jobs.ts'
import { createMails } from './features/mails/mails.ts'
import { createNewsletter } from './features/newsletter/newsletter.ts'
import { createOverview } from './features/overview/overview.ts'
import { createPrivatePackage } from './features/private-package/private-package.ts'
import { createPurchases, eventTypes } from './features/purchases/purchases.ts'
import { createReminders } from './features/reminders/reminders.ts'
import { createReviews } from './features/reviews/reviews.ts'
import { createSeats } from './features/seats/seats.ts'
import { createSessions } from './features/sessions/sessions.ts'
import { createStripeSetup } from './features/stripe-setup/stripe-setup.ts'
import {
  createAccess,
  createReconcile,
  createTradingView,
  createTradingViewAdmin,
} from './features/tradingview/tradingview.ts'
import type { MailTransport } from './gateways/mail.ts'
import type { StripeGateway } from './gateways/stripe.ts'
import type { TradingViewGateway } from './gateways/tradingview.ts'
import type { Queue } from './jobs/queue.ts'
import { createAttempts } from './security/attempts.ts'
import { createEmailQuestions } from './security/email-questions.ts'
import type { Passwords } from './security/passwords.ts'
import type { Secrets } from './security/secrets.ts'
import { createSecurityLog } from './security/security-log.ts'

export type RoomDependencies = {
  config: Config
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
  const { config, connection, queue, transport, stripe, secrets, passwords, log, now, crashPoint } = deps
  const { db } = connection
  const { supportEmail } = config

  const audit = createAudit({ db, now })
  const site = mailSite(config, secrets)
  const mails = createMails({ db, now, queue, transport, site })
  const attempts = createAttempts({ db, now })
  const securityLog = createSecurityLog(log)
  const sessions = createSessions({ db, now, mails, attempts, securityLog })
  const factors = createFactors({
    db,
    now,
    mails,
    audit,
    passwords,
    attempts,
    secrets,
    securityLog,
    sessions,
    staffNeedFactor: config.staffNeedFactor,
    publicUrl: config.publicUrl,
  })
  const questions = createEmailQuestions({ db, now })
  // Off in most tests, where every visitor has the same address.
  if (!config.rateLimits) questions.ask = async () => {}
  const { linkToken, isLinkToken } = secrets
  const customers = createCustomers({ db, now, queue, stripe })
  const accounts = createAccounts({
    db,
    now,
    mails,
    queue,
    audit,
    passwords,
    attempts,
    questions,
    securityLog,
    linkToken,
    isLinkToken,
    accountChanged: customers.accountChanged,
  })
  const checkouts = createCheckouts({ db, now })
  const tradingView = createTradingView({
    db,
    now,
    queue,
    mails,
    audit,
    secrets,
    gateway: deps.tradingViewGateway,
    supportEmail,
    crashPoint,
  })
  const entitlements = createEntitlements({ db, now, deliver: tradingView.deliver })
  const seats = createSeats({ db, now, mails, supportEmail })
  const accessRequests = createAccessRequests({
    db,
    now,
    mails,
    secrets,
    audit,
    accounts,
    entitlements,
    askExchangeKeys: config.askExchangeKeys,
    connector: { isOn: tradingView.isOn, isWorking: tradingView.isWorking, verify: tradingView.deliver },
    supportEmail,
  })
  const purchases = createPurchases({
    db,
    now,
    stripe,
    queue,
    mails,
    audit,
    accounts,
    checkouts,
    entitlements,
    accessRequests,
    seats,
    supportEmail,
    consumerLaw: config.consumerLaw,
    log,
    crashPoint,
    attempts,
    isLinkToken,
  })
  const checkout = createCheckout({
    db,
    now,
    stripe,
    checkouts,
    customers,
    purchases,
    questions,
    seats,
    wantsTax: config.tax.mode === 'stripe',
    crashPoint,
  })
  const reviews = createReviews({ db, now, mails, audit, supportEmail })

  const contact = createContact({ db, now, mails, audit, supportEmail })
  const newsletter = createNewsletter({ db, now, mails, secrets })
  const declarations = createDeclarations({
    db,
    now,
    queue,
    mails,
    audit,
    attempts,
    secrets,
    purchases,
    supportEmail,
    consumerLaw: config.consumerLaw,
  })

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
    audit,
  ]

  return {
    /** What emails say about the shop, for their preview. */
    mailSite: site,
    audit,
    mails,
    attempts,
    securityLog,
    sessions,
    factors,
    accounts,
    deletion: createDeletion({
      db,
      passwords,
      attempts,
      audit,
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
      ],
      endSubscriptionsOf: purchases.endAllOf,
      forgetAddress: mails.forgetAddress,
    }),
    personalData,
    customerData: createCustomerData({ db, audit, rooms: personalData, contact, newsletter }),
    declarations,
    checkouts,
    customers,
    purchases,
    checkout,
    accessRequests,
    reviews,
    tradingView,
    access: createAccess({ tradingView, entitlements, accessRequests }),
    tradingViewAdmin: createTradingViewAdmin({ tradingView, entitlements, accessRequests }),
    reconcileTradingView: createReconcile(tradingView, entitlements),
    seats,
    newsletter,
    contact,
    imports: createImports({ db, now, audit, accounts, purchases, accessRequests, entitlements }),
    privatePackage: createPrivatePackage({ links: config.package, entitlements }),
    assets: createAssets({ db, now, audit, entitlements }),
    exports: createExports({ connection, now, audit }),
    overview: createOverview({ db, now, queue, mails, supportEmail }),
    reminders: createReminders({ db, now, queue, mails, audit, accounts }),
    jobs: createJobs({ db, queue, audit }),
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

function mailSite(config: Config, { linkToken }: Secrets) {
  const { publicUrl, supportEmail, seller, consumerLaw, tax } = config
  const sender = [seller.name, seller.street, seller.city, seller.country].filter(Boolean).join(', ')
  const party = partyOf(seller, { supportEmail, publicUrl })
  return { publicUrl, supportEmail, sender, linkToken, party, consumerLaw, taxNote: tax.note }
}
