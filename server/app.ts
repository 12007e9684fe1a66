import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { contract } from '#contract/index.ts'
import type { Config } from './config.ts'
import type { Connection } from './database/connect.ts'
import { createAccessRequests } from './features/access-requests/access-requests.ts'
import { accessRequestRoutes } from './features/access-requests/routes.ts'
import { createAccounts } from './features/accounts/accounts.ts'
import { accountsRoutes } from './features/accounts/routes.ts'
import { createAssets } from './features/assets/assets.ts'
import { assetRoutes } from './features/assets/routes.ts'
import { createAudit } from './features/audit/audit.ts'
import { auditRoutes } from './features/audit/routes.ts'
import { catalogRoutes } from './features/catalog/routes.ts'
import { createCheckout } from './features/checkout/checkout.ts'
import { checkoutRoutes } from './features/checkout/routes.ts'
import { createContact } from './features/contact/contact.ts'
import { contactRoutes } from './features/contact/routes.ts'
import { createExports } from './features/exports/exports.ts'
import { exportRoutes } from './features/exports/routes.ts'
import { createJobs } from './features/jobs/jobs.ts'
import { jobRoutes } from './features/jobs/routes.ts'
import { createMails } from './features/mails/mails.ts'
import { mountMailPreview } from './features/mails/routes.ts'
import { createNewsletter } from './features/newsletter/newsletter.ts'
import { mountOneClick, newsletterRoutes } from './features/newsletter/routes.ts'
import { createOverview } from './features/overview/overview.ts'
import { overviewRoutes } from './features/overview/routes.ts'
import { privatePackageRoutes } from './features/private-package/routes.ts'
import { createPurchases } from './features/purchases/purchases.ts'
import { purchasesRoutes } from './features/purchases/routes.ts'
import { createReminders } from './features/reminders/reminders.ts'
import { reminderRoutes } from './features/reminders/routes.ts'
import { scheduleUpkeep } from './features/upkeep/upkeep.ts'
import type { MailTransport } from './gateways/mail.ts'
import type { StripeGateway } from './gateways/stripe.ts'
import { docsPage } from './http/docs-page.ts'
import type { SecurityHeaders } from './http/headers.ts'
import { mountHealth } from './http/health.ts'
import { mountMetrics } from './http/metrics.ts'
import { createMount } from './http/mount.ts'
import { openApi } from './http/openapi.ts'
import type { Pages } from './http/pages.ts'
import { type Ahead, createHttpServer } from './http/server.ts'
import { createSessions } from './http/session.ts'
import { mountWebhook } from './http/webhook.ts'
import type { Queue } from './jobs/queue.ts'
import { createAttempts } from './security/attempts.ts'
import type { Passwords } from './security/passwords.ts'
import type { Secrets } from './security/secrets.ts'

export type Dependencies = {
  config: Config
  connection: Connection
  queue: Queue
  transport: MailTransport
  stripe: StripeGateway
  secrets: Secrets
  passwords: Passwords
  pages: Pages
  security: SecurityHeaders
  /** Who looks at requests before the router, beside the pages. */
  ahead: Ahead[]
  log: Logger
  now: () => Date
  /** Where a test may end the process; nothing in production. */
  crashPoint: (name: string) => void
}

/** Builds the rooms and mounts their routes. */
export async function createApp(deps: Dependencies): Promise<FastifyInstance> {
  const { config, connection, queue, secrets, passwords, pages, stripe, log, now, crashPoint } = deps
  const { db } = connection
  const app = await createHttpServer({
    config,
    log,
    security: deps.security,
    ahead: [pages.serve, ...deps.ahead],
    pageNotFound: pages.notFound,
  })

  mountMetrics(app, {
    pool: connection.pool,
    queue,
    stripe,
    token: config.metricsToken,
    production: config.production,
  })

  const audit = createAudit({ db, now })
  const site = mailSite(config, secrets)
  const mails = createMails({ db, queue, transport: deps.transport, site })
  const sessions = createSessions({
    db,
    now,
    secure: config.secure,
    onNewDevice: (tx, email, device) =>
      mails.send(tx, email, 'newDevice', { at: now().toISOString(), ...device }),
  })
  const attempts = createAttempts({ db, now })
  const accounts = createAccounts({
    db,
    now,
    mails,
    queue,
    passwords,
    attempts,
    sessions,
    linkToken: secrets.linkToken,
  })
  queue.schedule('tidy-accounts', '17 3 * * *', async () => {
    await Promise.all([attempts.purge(), sessions.purge(), accounts.purgeTokens()])
  })

  const { supportEmail } = config
  const purchases = createPurchases({
    db,
    now,
    stripe,
    queue,
    mails,
    audit,
    accounts,
    supportEmail,
    log,
    crashPoint,
  })
  const checkout = createCheckout({ db, now, stripe, purchases, crashPoint })
  await checkout.ensurePrices((error) =>
    log.error({ err: error }, 'a price is not ready at Stripe; it is asked for again at the next checkout'),
  )

  const newsletter = createNewsletter({ db, now, mails, secrets })
  queue.schedule('forget-newsletter-addresses', '17 3 * * *', newsletter.forgetTheOthers)
  const contact = createContact({ db, now, mails, supportEmail: config.supportEmail })
  const assets = createAssets({ db, now, audit, purchases })
  const exports = createExports({ connection, now, audit })
  const overview = createOverview({ db, queue, now })
  const reminders = createReminders({ db, queue, mails, now, audit })

  const accessRequests = createAccessRequests({ db, now, mails, secrets, audit, supportEmail })
  queue.schedule('purge-exchange-keys', '17 * * * *', accessRequests.purgeKeys)

  scheduleUpkeep({ db, now, mails, queue, supportEmail })

  const mount = createMount(app, sessions)
  mount(contract.catalog, catalogRoutes)
  mount(
    contract.accounts,
    accountsRoutes({
      db,
      now,
      accounts,
      sessions,
      passwords,
      attempts,
      audit,
      endSubscriptionsOf: purchases.endAllOf,
    }),
  )
  mount(contract.checkout, checkoutRoutes({ checkout, sessions, secure: config.secure }))
  mount(contract.purchases, purchasesRoutes(purchases))
  await mountWebhook(app, { read: stripe.readEvent, receive: purchases.receiveEvent })
  mount(contract.audit, auditRoutes(audit))
  mount(contract.assets, assetRoutes(assets))
  mount(contract.exports, exportRoutes(exports))
  mount(contract.overview, overviewRoutes(overview))
  mount(contract.reminders, reminderRoutes(reminders))
  mount(contract.newsletter, newsletterRoutes(newsletter))
  mountOneClick(app, newsletter)
  mount(contract.contact, contactRoutes(contact))
  mount(contract.jobs, jobRoutes(createJobs({ db, queue, audit })))
  mount(contract.accessRequests, accessRequestRoutes(accessRequests))
  mount(contract.privatePackage, privatePackageRoutes(config.package, purchases))

  mountHealth(app, { pool: connection.pool, queue })
  mountDocs(app, config.publicUrl)
  if (!config.production) mountMailPreview(app, { site, outbox: config.mail.outbox })
  return app
}

function mailSite({ publicUrl, supportEmail, seller }: Config, { linkToken }: Secrets) {
  const sender = [seller.name, seller.street, seller.city, seller.country].filter(Boolean).join(', ')
  return { publicUrl, supportEmail, sender, linkToken }
}

/** Written when first asked for: hardly anybody does, and every start would wait for it. */
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
