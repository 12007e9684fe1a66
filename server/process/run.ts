import cluster from 'node:cluster'
import { writeSync } from 'node:fs'
import process from 'node:process'
import type { Logger } from 'pino'
import { loadEnvFile } from '../config/env-file.ts'
import { ConfigurationError, readConfig } from '../config.ts'
import { StartError } from '../errors.ts'
import { type Shop, startShop } from '../start.ts'
import { openCluster } from './cluster.ts'
import { tellFirstAdmin } from './first-admin.ts'
import { createLog } from './log.ts'
import { permissionFault } from './permission-fault.ts'
import { stopInOrder } from './stop-in-order.ts'

export async function run(options: { pagesAreFromVite: boolean }) {
  try {
    await open(options)
  } catch (error) {
    const sentences = reasonsOf(error).map((line) => `The shop cannot start. ${line}`)
    if (isProduction()) for (const sentence of sentences) createLog('fatal', standardError).fatal(sentence)
    else process.stderr.write(`${sentences.join('\n')}\n`)
    process.exit(1)
  }
}

function reasonsOf(error: unknown): string[] {
  if (error instanceof ConfigurationError) return error.faults
  if (error instanceof StartError) return [error.message]
  return [permissionFault(error) ?? (error as Error).stack ?? String(error)]
}

/** Reads the environment, because the settings may be invalid. In production, every line of output is JSON. */
const isProduction = () => process.env.NODE_ENV === 'production'
/** Writes synchronously, so that the line is complete before the process ends. */
const standardError = { write: (line: string) => void writeSync(2, line) }

async function open({ pagesAreFromVite }: { pagesAreFromVite: boolean }) {
  const envFileWarnings = loadEnvFile()
  const config = readConfig(process.env)
  const isQuiet = process.stdout.isTTY && !config.production && !process.env.LOG_LEVEL
  const log = createLog(isQuiet ? 'warn' : config.logLevel)
  if (config.production) reportInJson(log)
  if (config.processes > 1 && cluster.isPrimary) {
    const opening = openCluster(config, log).then(({ close }) => ({ stop: close, close }))
    stopInOrder(opening, log)
    await opening
    return
  }
  const isFirst = cluster.worker === undefined || cluster.worker.id === 1
  if (isFirst) for (const text of [...envFileWarnings, ...config.warnings]) log.warn(text)
  const opening = startShop(config, { log, allowsOutdatedBuild: pagesAreFromVite })
  stopInOrder(opening, cluster.isPrimary ? log : undefined)
  const shop = await opening
  if (isFirst) reportOpening(shop, log)
  // `firstAdmin` is set only in the process that created the admin. A password from the settings needs no report.
  if (shop.firstAdmin && !config.admin.password)
    tellFirstAdmin(shop.firstAdmin, config.dataDir, process.stdout, config.production ? log : undefined)
}

function reportInJson(log: Logger) {
  process.removeAllListeners('warning').on('warning', (warning) => log.warn({ err: warning }, 'Node warns'))
  process.on('uncaughtException', (error) => {
    createLog('fatal', standardError).fatal({ err: error }, 'The shop ends because of an error')
    process.exit(1)
  })
}

function reportOpening({ config, mailsGoTo, databaseLocation }: Shop, log: Logger) {
  if (config.production) {
    const payments = config.stripe ? 'Stripe' : 'test mode, no money moves'
    log.info({ url: config.publicUrl, database: databaseLocation, emails: mailsGoTo, payments }, 'The shop is open')
    return
  }
  const lines = [
    '',
    `  The shop is open:  ${config.publicUrl}`,
    `  Database:          ${databaseLocation}`,
    `  Emails go to:      ${mailsGoTo}`,
    `  Read them:         ${config.publicUrl}/dev/mails`,
    config.stripe
      ? '  Payments:          Stripe'
      : '  Payments:          test mode, no money moves (card 4242 4242 4242 4242)',
    '',
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
}
