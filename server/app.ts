import type { FastifyInstance } from 'fastify'
import { contract } from '#contract/index.ts'
import { auditRoutes } from './audit/routes.ts'
import { auditSchedules } from './audit/schedules.ts'
import { accessRequestRoutes } from './features/access/access-requests/routes.ts'
import { accessRequestSchedules } from './features/access/access-requests/schedules.ts'
import { assetRoutes } from './features/access/assets/routes.ts'
import { privatePackageRoutes } from './features/access/package/routes.ts'
import { reminderRoutes } from './features/access/reminders/routes.ts'
import { tradingViewAdminRoutes, tradingViewRoutes } from './features/access/tradingview/routes.ts'
import { tradingViewSchedules } from './features/access/tradingview/schedules.ts'
import { customerRoutes } from './features/desk/customers/routes.ts'
import { exportRoutes, newsletterAddressRoutes } from './features/desk/exports/routes.ts'
import { importRoutes } from './features/desk/imports/routes.ts'
import { jobRoutes } from './features/desk/jobs/routes.ts'
import { overviewRoutes } from './features/desk/overview/routes.ts'
import { overviewSchedules } from './features/desk/overview/schedules.ts'
import { searchRoutes } from './features/desk/search/routes.ts'
import { settingsRoutes } from './features/desk/settings/routes.ts'
import {
  accountRoutes,
  credentialRoutes,
  customerDataRoutes,
  staffRoutes,
} from './features/identity/accounts/routes.ts'
import { accountSchedules } from './features/identity/accounts/schedules.ts'
import { factorRoutes, loginRoutes, stepUpRoutes } from './features/identity/factors/routes.ts'
import { factorSchedules } from './features/identity/factors/schedules.ts'
import { sessionSchedules } from './features/identity/sessions/schedules.ts'
import { sessionDays } from './features/identity/sessions/sessions.ts'
import { catalogRoutes } from './features/selling/catalog/routes.ts'
import { billingRoutes, checkoutRoutes } from './features/selling/checkout/routes.ts'
import { checkoutSchedules } from './features/selling/checkout/schedules.ts'
import { declarationRoutes } from './features/selling/declarations/routes.ts'
import { declarationSchedules } from './features/selling/declarations/schedules.ts'
import { purchaseRoutes } from './features/selling/purchases/routes.ts'
import { purchaseSchedules } from './features/selling/purchases/schedules.ts'
import { seatRoutes } from './features/selling/seats/routes.ts'
import { seatSchedules } from './features/selling/seats/schedules.ts'
import { stripeSetupRoutes } from './features/selling/stripe-setup/routes.ts'
import { contactRoutes, messageRoutes } from './features/site/contact/routes.ts'
import { contactSchedules } from './features/site/contact/schedules.ts'
import { mountOneClick, newsletterRoutes } from './features/site/newsletter/routes.ts'
import { newsletterSchedules } from './features/site/newsletter/schedules.ts'
import { reviewRoutes } from './features/site/reviews/routes.ts'
import { reviewSchedules } from './features/site/reviews/schedules.ts'
import { createBeginSession } from './http/begin-session.ts'
import { createCheckoutCookie } from './http/checkout-cookie.ts'
import { mountCspReports } from './http/csp-reports.ts'
import { docsPage } from './http/docs-page.ts'
import { createGate } from './http/gate.ts'
import type { SecurityHeaders } from './http/headers.ts'
import { mountHealth } from './http/health.ts'
import { createMount } from './http/mount.ts'
import { openApi } from './http/openapi.ts'
import { createHttpServer, type Middleware } from './http/server.ts'
import { createSessionCookie } from './http/session-cookie.ts'
import { mountWebhook } from './http/webhook.ts'
import { registerSchedules } from './jobs/schedules.ts'
import { mountMailPreview } from './mails/routes.ts'
import { mailSchedules } from './mails/schedules.ts'
import { mountMetrics } from './metrics/metrics.ts'
import type { Pages } from './pages/pages.ts'
import { createRooms, type RoomDependencies } from './rooms.ts'

export type Dependencies = RoomDependencies & {
  pages: Pages
  security: SecurityHeaders
  /** Handles requests before the router, alongside the pages. */
  middleware: Middleware[]
}

/** The whole application: the rooms, their routes and their schedules. */
export async function createApp(deps: Dependencies): Promise<FastifyInstance> {
  const { config, connection, queue, stripe, pages, log } = deps
  const app = await createHttpServer({
    config,
    log,
    security: deps.security,
    middleware: [pages.serve, ...deps.middleware],
    pages,
  })
  const rooms = createRooms(deps)
  const { sessions, accounts, checkout, purchases, accessRequests, newsletter, contact, overview } = rooms
  mountMetrics(app, {
    pool: connection.pool,
    queue,
    stripe,
    overdueEvents: purchases.countOverdueEvents,
    cspReports: await mountCspReports(app),
    more: rooms.tradingView.measures,
    token: config.metricsToken,
    production: config.production,
  })

  await checkout.ensurePrices((error) =>
    log.error({ err: error }, 'a price is not ready at Stripe; the next checkout will try again'),
  )

  await rooms.tradingView.connecting.useLookAlike()

  // Not awaited: startup must not depend on them.
  rooms.factors
    .strandedPasskeys()
    .then((count) => {
      if (count > 0)
        log.warn(
          `${count} passkeys were made for another host than PUBLIC_URL's and don't work here. People can log in with their password and make new ones.`,
        )
    })
    .catch((error: unknown) => log.error({ err: error }, 'could not look for passkeys of another host'))
  if (config.stripe)
    rooms.stripeSetup
      .warn()
      .catch((error: unknown) => log.error({ err: error }, 'could not check the Stripe setup'))

  registerSchedules(
    queue,
    accountSchedules(accounts),
    sessionSchedules(sessions),
    factorSchedules(rooms.factors),
    checkoutSchedules(rooms.checkouts),
    purchaseSchedules(purchases),
    accessRequestSchedules(accessRequests),
    reviewSchedules(rooms.reviews),
    newsletterSchedules(newsletter),
    contactSchedules(contact),
    declarationSchedules(rooms.declarations),
    overviewSchedules(overview),
    mailSchedules(rooms.mails),
    auditSchedules(rooms.audit),
    tradingViewSchedules(rooms.tradingView, rooms.reconcileTradingView),
    seatSchedules(rooms.seats),
  )

  const cookie = createSessionCookie({ secure: config.secure, days: sessionDays })
  const checkoutCookie = createCheckoutCookie({ secure: config.secure })
  const mount = createMount(app, {
    pages,
    sessions,
    cookie,
    gate: createGate({
      now: deps.now,
      staffNeedFactor: config.staffNeedFactor,
      production: config.production,
      waysToProve: rooms.factors.waysToProve,
      useProof: sessions.useProof,
      securityLog: rooms.securityLog,
    }),
    limits: config.rateLimits ? rooms.attempts : undefined,
  })
  mount(contract.catalog, catalogRoutes)
  const beginSession = createBeginSession({ sessions, cookie })
  mount(contract.accounts, accountRoutes({ ...rooms, beginSession, cookie, checkoutCookie }))
  mount(contract.logins, loginRoutes({ ...rooms, beginSession, cookie }))
  mount(contract.stepUp, stepUpRoutes(rooms.factors))
  mount(contract.factors, factorRoutes(rooms.factors))
  mount(contract.credentials, credentialRoutes(rooms))
  mount(contract.staff, staffRoutes(accounts))
  mount(
    contract.checkout,
    checkoutRoutes({ checkout, beginSession, checkoutCookie, securityLog: rooms.securityLog }),
  )
  mount(contract.billing, billingRoutes(rooms.customers))
  mount(contract.purchases, purchaseRoutes(purchases))
  await mountWebhook(app, { read: stripe.readEvent, receive: purchases.receiveEvent })
  mount(contract.accessRequests, accessRequestRoutes(accessRequests))
  mount(contract.tradingView, tradingViewRoutes(rooms.access))
  mount(contract.tradingViewAdmin, tradingViewAdminRoutes(rooms.tradingViewAdmin, rooms.seats.meter))
  mount(contract.seats, seatRoutes(rooms.seats))
  mount(contract.privatePackage, privatePackageRoutes(rooms.privatePackage))
  mount(contract.assets, assetRoutes(rooms.assets))
  mount(contract.reviews, reviewRoutes(rooms.reviews))
  mount(contract.newsletter, newsletterRoutes(newsletter))
  mount(contract.newsletterAddresses, newsletterAddressRoutes(newsletter, rooms.exports))
  mountOneClick(app, newsletter, pages)
  mount(contract.contact, contactRoutes(contact))
  mount(contract.messages, messageRoutes(contact))
  mount(contract.declarations, declarationRoutes(rooms.declarations))
  mount(contract.customers, customerRoutes(rooms.customerDesk))
  mount(contract.search, searchRoutes(rooms.search))
  mount(contract.overview, overviewRoutes(overview))
  mount(contract.reminders, reminderRoutes(rooms.reminders))
  mount(contract.exports, exportRoutes(rooms.exports))
  mount(contract.imports, importRoutes(rooms.imports))
  mount(contract.customerData, customerDataRoutes(rooms.customerData))
  mount(contract.jobs, jobRoutes(rooms.jobs))
  mount(contract.stripeSetup, stripeSetupRoutes(rooms.stripeSetup))
  mount(
    contract.settings,
    settingsRoutes({ settings: deps.settings, mails: rooms.mails, mailsGoTo: deps.mailsGoTo, pages }),
  )
  mount(contract.audit, auditRoutes(rooms.audit))

  mountHealth(app, { pool: connection.pool, queue })
  mountDocs(app, config.publicUrl)
  if (!config.production) mountMailPreview(app, { site: rooms.mailSite, outbox: config.mail.outbox })
  return app
}

/** Built on first request: hardly anyone asks for it, and every start would have to wait. */
function mountDocs(app: FastifyInstance, publicUrl: string) {
  let document: ReturnType<typeof openApi> | undefined
  let page: string | undefined
  app.get('/api/openapi.json', () => (document ??= openApi(contract, publicUrl)))
  app.get('/api/docs', (_request, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .header(
        'content-security-policy',
        "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
      )
      .send((page ??= docsPage(contract))),
  )
}
