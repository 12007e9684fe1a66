import '#server/boot.ts'

/** The shop as a process for measuring and hurting: as `server/main.ts`, but every visitor has the same address here. */
const { pino } = await import('pino')
const { readConfig } = await import('#server/config.ts')
const { startShop } = await import('#server/start.ts')

const config = { ...readConfig(process.env), rateLimits: false }
const shop = await startShop(config, { log: pino({ level: config.logLevel }) })
process.on('SIGTERM', () => void shop.stop().then(() => process.exit(0)))
process.on('SIGINT', () => void shop.close().then(() => process.exit(0)))
