import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { brand } from '#contract/brand.ts'
import type { SiteSettings } from '#contract/site/site-settings.ts'
import packageJson from '../package.json' with { type: 'json' }
import { createApp, type Dependencies } from './app.ts'
import { createAudit } from './audit/audit.ts'
import type { Config } from './config.ts'
import { createMailSite } from './context.ts'
import { backupToFile } from './database/backup.ts'
import { assertReachable, connect, type Database } from './database/connect.ts'
import { openEmbedded } from './database/embedded.ts'
import { migrate } from './database/migrate.ts'
import type { Migration } from './database/migrations.ts'
import { currentConnection, servedProducts } from './features/access/tradingview/tradingview.ts'
import { createAdmins } from './features/identity/accounts/accounts.ts'
import { openCatalog } from './features/selling/catalog/catalog.ts'
import { openPaymentAccount } from './features/selling/payment-account/payment-account.ts'
import { pricesForPages, publishInitialPrices } from './features/selling/prices/prices.ts'
import { termsForPages } from './features/selling/terms/terms.ts'
import { noFigures, publicFigures } from './features/site/figures/figures.ts'
import { latestReviews, reviewSummary, reviewsByProduct } from './features/site/reviews/reviews.ts'
import { createBulkMail, createMailTransport } from './gateways/mail.ts'
import { openPayments, type Payments, type Quirks } from './gateways/payments.ts'
import type { StripeAddress } from './gateways/stripe.ts'
import { createTradingViewGateway } from './gateways/tradingview.ts'
import { drain } from './http/drain.ts'
import { securityHeaders } from './http/headers.ts'
import { createQueue } from './jobs/queue.ts'
import { noPages, openPages } from './pages/pages.ts'
import { paths } from './paths.ts'
import { assertBuilt } from './process/build.ts'
import { assertWritable } from './process/data-folder.ts'
import { listen, portFor } from './process/port.ts'
import { createAttempts } from './security/attempts.ts'
import { createPasswordHasher, type PasswordCost, type PasswordHasher } from './security/password-hasher.ts'
import { createSecrets, loadSecretsKey, type Secrets } from './security/secrets.ts'
import { createShopSettings, type ShopSettings } from './settings/settings.ts'

export type Shop = Awaited<ReturnType<typeof startShop>>

export type StartOptions = {
  log: Logger
  now?: () => Date
  /** Without pages, only the API answers: what most tests need. */
  withPages?: boolean
  /** Without schedules, a test decides when scheduled work runs. */
  withSchedules?: boolean
  /** Accepts an outdated build: for development, when Vite serves the pages. */
  allowsOutdatedBuild?: boolean
  /** A test may end the process at these moments of a payment. */
  crashPoint?: (name: string) => void
  /** Cheaper password hashing, for load tests. */
  passwordCost?: PasswordCost
  passwordHasher?: PasswordHasher | undefined
  quirks?: Quirks
  /** By default `content/products`. */
  products?: string | undefined
  /** A test's own stand-in for Stripe. */
  stripeAddress?: StripeAddress | undefined
  /** Longest wait for an advisory lock before a 503; 10 s by default. */
  lockWaitMs?: number | undefined
}

type Parts = Omit<Dependencies, 'pages'>

/** The composition root; `close` closes all parts in reverse order, even if one of them fails. */
export async function startShop(
  initialConfig: Config,
  {
    log,
    now = () => new Date(),
    withPages = true,
    withSchedules = true,
    allowsOutdatedBuild = false,
    crashPoint = () => {},
    passwordCost,
    passwordHasher = createPasswordHasher(passwordCost && { cost: passwordCost }),
    quirks = {},
    products,
    stripeAddress,
    lockWaitMs,
  }: StartOptions,
) {
  const closers = new AsyncDisposableStack()
  const close = () => closers.disposeAsync()
  try {
    const port = await portFor(initialConfig)
    assertWritable(initialConfig.dataDir)
    if (withPages && !allowsOutdatedBuild) assertBuilt()
    const embedded = initialConfig.databaseUrl ? undefined : await openEmbedded(initialConfig.dataDir)
    if (embedded) closers.defer(embedded.close)
    const url = embedded?.url ?? initialConfig.databaseUrl ?? ''

    const onLost = (error: Error) => log.warn({ err: error }, 'database connection lost')
    const { dataDir, databaseDirectUrl: directUrl, databaseReplicaUrl: replicaUrl } = initialConfig
    const connection = connect(url, onLost, { directUrl, replicaUrl, lockWaitMs })
    closers.defer(connection.close)
    await assertReachable(connection.pool, url)
    const secrets = createSecrets(loadSecretsKey(initialConfig.secretsKey, dataDir), initialConfig.oldSecretsKey)
    await migrate(connection.url, {
      beforeUpgrade: (pending) => prepareUpgrade(pending, { url: connection.url, config: initialConfig, secrets, log }),
    })

    const catalog = await openCatalog(connection.db, products)
    await publishInitialPrices(connection.db, catalog.products())
    const config = withPort(initialConfig, port)
    const mailsGoTo = config.mail.smtpUrl ? new URL(config.mail.smtpUrl).host : config.mail.outbox
    const settings = createShopSettings({
      db: connection.db,
      now,
      audit: createAudit({ db: connection.db, now }),
      config,
      products: catalog.products(),
    })
    await settings.load()
    const { transport, bulkMail } = openMail(config, settings, log)
    closers.defer(() => transport.close())
    closers.defer(bulkMail.close)
    const payments = await openPayments({
      config,
      seller: () => settings.current.seller,
      databaseUrl: url,
      secrets,
      log,
      quirks,
      stripeAddress,
    })
    closers.defer(payments.close)
    const paymentAccount = await openConfiguredAccount(payments, { db: connection.db, now, log, config })
    closers.defer(paymentAccount.close)
    const queue = createQueue({ url: connection.url, log, withSchedules })
    const tradingView = createTradingViewGateway({
      isAllowed: config.mayCallTradingView,
      isSelling: paymentAccount.kind === 'live',
      tradingViewStandIn: payments.tradingViewStandIn,
    })
    const parts: Parts = {
      config,
      connection,
      settings,
      catalog,
      mailsGoTo,
      queue,
      transport,
      bulkMail,
      secrets,
      passwordHasher,
      security: securityHeaders(config),
      stripe: payments.stripe,
      paymentAccount,
      tradingView,
      middleware: payments.middleware,
      log,
      now,
      crashPoint,
    }
    const pages = withPages ? await openShopPages(parts, payments) : noPages()
    closers.defer(pages.close)
    const app = await createApp({ ...parts, pages })
    await queue.start()
    closers.defer(queue.stop)
    await listen(app, config)
    closers.defer(() => app.close())
    payments.allowSandboxWebhooks()

    // Last, because the password is shown only once: a start that fails must not have created the admin.
    const firstAdmin = await ensureAdmin(parts)

    return {
      config,
      connection,
      queue,
      /** Undefined if the shop has keys of Stripe. */
      sandbox: payments.sandbox,
      paymentAccount,
      tradingViewStandIn: payments.tradingViewStandIn,
      app,
      mailsGoTo,
      databaseLocation: embedded?.folder ?? new URL(url).host,
      /** Credentials of the admin that this start has created; undefined if there was one. */
      firstAdmin,
      /** First answers all open requests. */
      async stop() {
        await drain(app.server)
        await close()
      },
      /** Does not wait for visitors. */
      close,
    }
  } catch (error) {
    await close().catch((closeError: unknown) => log.error({ err: closeError }, 'could not close after a failed start'))
    throw error
  }
}

const withPort = (config: Config, port: number): Config => ({
  ...config,
  port,
  publicUrl: config.publicUrlIsGiven ? config.publicUrl : `http://localhost:${port}`,
})

type UpgradeDeps = { url: string; config: Config; secrets: Secrets; log: Logger }

/** Backs up the embedded database before its schema changes. Operators of another PostgreSQL make their own backups. */
async function prepareUpgrade(pending: Migration[], { url, config, secrets, log }: UpgradeDeps) {
  const tags = pending.map(({ tag }) => tag).join(', ')
  if (config.databaseUrl) {
    log.warn(`Upgrading the database: ${tags}.`)
    return
  }
  const { version } = packageJson
  const folder = join(config.dataDir, 'backups')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const time = new Date().toISOString().replaceAll(/[:.]/g, '-')
  const file = join(folder, `before-${version}-${time}.sql.gz`)
  const { rows } = await backupToFile(url, file, { secrets, version })
  log.warn(`Upgrading the database: ${tags}. ${rows} rows were backed up to ${file} first.`)
}

type AccountDeps = { db: Database; now: () => Date; log: Logger; config: Config }

const openConfiguredAccount = (payments: Payments, { config, ...deps }: AccountDeps) =>
  openPaymentAccount({
    ...deps,
    configured: payments.configuredAccount,
    onMatch: payments.enableStripeCalls,
    onMismatch: (sentence) => config.warnings.push(sentence),
  })

function openShopPages(parts: Parts, payments: Payments) {
  const { config, settings, secrets, catalog, tradingView, connection, security, log, now } = parts
  const { db } = connection
  return openPages({
    dist: paths.dist,
    cacheDir: join(config.dataDir, 'cache'),
    readData: async () => {
      await settings.load()
      const { seller, supportEmail, maker } = settings.current
      return {
        publicUrl: config.publicUrl,
        regionLookupUrl: config.regionLookupUrl,
        cookieBanner: config.cookieBanner,
        gaMeasurementId: config.gaMeasurementId,
        consumerLaw: config.consumerLaw,
        tax: config.tax,
        askExchangeKeys: settings.current.askExchangeKeys,
        seller,
        supportEmail,
        maker: maker.name ? { ...maker, photo: maker.photo?.path ?? null } : null,
        figures: settings.current.showsFigures ? await publicFigures(db, now()) : noFigures,
        testMode: testModeOf(payments, config),
        stripe: payments.settings,
        prices: await pricesForPages(db, catalog, now()),
        reviews: await reviewSummary(db),
        products: catalog.listForPages(
          await reviewsByProduct(db),
          await servedProducts(db, await currentConnection(db, tradingView), now()),
        ),
        texts: catalog.textsBySlug(),
        terms: await termsForPages(db, now(), createMailSite(config, settings, secrets, catalog)),
        latestReviews: await latestReviews(db),
      }
    },
    files: () => (settings.current.maker.photo ? [settings.current.maker.photo] : []),
    security,
    log,
  })
}

function testModeOf({ sandbox }: Payments, { production }: Config): SiteSettings['testMode'] {
  if (!sandbox) return false
  return production ? 'closed' : 'open'
}

function ensureAdmin({ config, connection: { db }, passwordHasher, now }: Parts) {
  const admins = createAdmins({
    db,
    now,
    passwordHasher,
    attempts: createAttempts({ db, now }),
    audit: createAudit({ db, now }),
  })
  const { email = config.supportEmail, password } = config.admin
  return admins.ensureFirst(email, password)
}

function openMail(config: Config, settings: ShopSettings, log: Logger) {
  const mail = { ...config.mail, from: () => config.mail.from ?? `${brand.name} <${settings.current.supportEmail}>` }
  const transport = createMailTransport(mail)
  // Not awaited: anything sent meanwhile is retried until the server is back.
  transport.verify().catch((error: Error) => log.warn(`SMTP_URL: ${error.message}. Emails will wait until it works.`))
  return { transport, bulkMail: createBulkMail(mail) }
}
