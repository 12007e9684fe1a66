import type { FastifyInstance } from 'fastify'
import type { Pool } from 'pg'
import { contract } from '#contract/index.ts'
import { type Areas, openAreas } from './areas.ts'
import { type Context, createContext } from './context.ts'
import { mountAccess } from './features/access/routes.ts'
import { mountAdminArea } from './features/admin/routes.ts'
import { mountIdentity } from './features/identity/routes.ts'
import { mountSelling } from './features/selling/routes.ts'
import { mountSite } from './features/site/routes.ts'
import { createCookie } from './http/cookies.ts'
import { mountCspReports } from './http/csp-reports.ts'
import { createGate } from './http/gate.ts'
import type { SecurityHeaders } from './http/headers.ts'
import { createMount } from './http/mount.ts'
import { docsPage, openApi } from './http/openapi.ts'
import { createHttpServer, type Middleware } from './http/server.ts'
import { type Queue, registerSchedules } from './jobs/queue.ts'
import { mountMailPreview } from './mails/routes.ts'
import { mountMetrics } from './metrics/metrics.ts'
import type { Pages } from './pages/pages.ts'

export type Dependencies = Parameters<typeof createContext>[0] & {
  mailsGoTo: string
  pages: Pages
  security: SecurityHeaders
  middleware: Middleware[]
}

export async function createApp(deps: Dependencies): Promise<FastifyInstance> {
  const { config, connection, queue, stripe, pages, log } = deps
  const app = await createHttpServer({
    config,
    log,
    security: deps.security,
    middleware: [pages.serve, ...deps.middleware],
    pages,
  })
  const context = createContext(deps)
  const areas = openAreas(context)
  const { identity, selling, access, site, admin } = areas
  mountMetrics(app, {
    pool: connection.pool,
    queue,
    stripe,
    overdueEvents: selling.subscriptions.inbox.countOverdue,
    cspReports: await mountCspReports(app),
    moduleMeasures: [access.tradingView.measures, selling.proof.measures],
    token: config.metricsToken,
    production: config.production,
  })
  for (const area of [identity, selling, access]) await area.prepare()
  const { mails, audit } = context
  registerSchedules(
    queue,
    {
      'forget-old-mails': { cron: '47 3 * * *', run: mails.forgetOld },
      'forget-old-audit': { cron: '41 3 * * *', run: audit.forgetOld },
    },
    ...[identity, selling, access, site, admin].map(({ schedules }) => schedules),
  )
  await mountAll(app, deps, context, areas)
  return app
}

async function mountAll(
  app: FastifyInstance,
  { config, connection, queue, pages, now, settings, mailsGoTo }: Dependencies,
  context: Context,
  areas: Areas,
) {
  const { mails, audit, attempts, securityLog } = context
  const { identity, selling, access, site } = areas
  const { sessions, factors, cookies } = identity
  const mount = createMount(app, {
    pages,
    sessions,
    cookies,
    gate: createGate({
      now,
      staffNeedFactor: config.staffNeedFactor,
      production: config.production,
      waysToProve: factors.waysToProve,
      recordProofUse: sessions.recordProofUse,
      securityLog,
    }),
    limits: config.rateLimits ? attempts : undefined,
  })
  const checkoutCookie = createCookie('checkout', { secure: config.secure, seconds: 86_400 })
  const http = { app, mount, pages, checkoutCookie }
  mountIdentity(http, context, identity, {
    contact: site.contact,
    newsletter: site.newsletter,
    modules: [selling.customers, access.core, site.newsletter, audit],
    endSubscriptionsOf: selling.subscriptions.cancellation.endAllOf,
    checkout: selling.checkout,
  })
  await mountSelling(http, context, areas)
  mountAccess(http, areas)
  mountSite(http, site)
  mountAdminArea(http, areas)
  mount(contract.settings, {
    adminShow: () => settings.show(mailsGoTo),
    async adminSave(changes, { actor }) {
      await settings.save(actor, changes)
      await pages.refresh()
    },
    async adminSaveLinks(links, { actor }) {
      await settings.saveLinks(actor, links)
    },
    async adminSavePhoto({ photo }, { actor }) {
      await settings.savePhoto(actor, photo)
      await pages.refresh()
    },
    adminTestMail: (_input, { actor }) => mails.test(actor, 'mailTest', {}),
  })
  mount(contract.audit, { adminList: (page) => audit.list(page) })
  mountHealth(app, { pool: connection.pool, queue })
  mountDocs(app, config.publicUrl)
  if (config.production) return
  mountMailPreview(app, { site: context.site, outbox: config.mail.outbox })
}

function mountDocs(app: FastifyInstance, publicUrl: string) {
  // Built on the first request, because each takes 0.1 s.
  let document: object | undefined
  let page: string | undefined
  app.get('/api/openapi.json', () => (document ??= openApi(contract, publicUrl)))
  app.get('/api/docs', (_request, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
      .send((page ??= docsPage(contract))),
  )
}

/** Fails on a full disk and on a read-only database. */
const testWriteSql =
  "create temporary table written (text text) on commit drop; insert into written values ('something')"

function mountHealth(app: FastifyInstance, { pool, queue }: { pool: Pool; queue: Queue }) {
  const withoutLimit = { config: { perMinute: false as const } }
  app.get('/healthz', withoutLimit, () => ({ status: 'ok' }))
  app.get('/readyz', withoutLimit, async (_request, reply) => {
    const database = await pool.query(testWriteSql).then(
      () => true,
      () => false,
    )
    const jobs = queue.isRunning()
    return reply.status(database && jobs ? 200 : 503).send({ database, jobs })
  })
}
