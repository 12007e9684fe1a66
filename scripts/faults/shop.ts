import cluster from 'node:cluster'
import { pino } from 'pino'
import { readConfig } from '#server/config.ts'
import { openCluster } from '#server/process/cluster.ts'
import { createPasswords } from '#server/security/passwords.ts'
import { startShop } from '#server/start.ts'

const lightHashing = process.env.LIGHT_HASHING
  ? { passwords: createPasswords({ cost: { memoryCost: 8, timeCost: 1, parallelism: 1 } }) }
  : {}

/** The shop as a process for measuring and hurting: as `server/main.ts`, but every visitor has the same address here. */
const config = { ...readConfig(process.env), rateLimits: false }
const shop =
  config.processes > 1 && cluster.isPrimary
    ? await openCluster(config).then(({ close }) => ({ stop: close, close }))
    : await startShop(config, { log: pino({ level: config.logLevel }), ...lightHashing })
process.on('SIGTERM', () => void shop.stop().then(() => process.exit(0)))
process.on('SIGINT', () => void shop.close().then(() => process.exit(0)))
