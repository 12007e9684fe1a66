import cluster from 'node:cluster'
import { readConfig } from '#server/config.ts'
import { openCluster } from '#server/process/cluster.ts'
import { createLog } from '#server/process/log.ts'
import { stopInOrder } from '#server/process/stop-in-order.ts'
import { startBuiltShop } from '#server/testing/built-shop.ts'

const lightHashing = process.env.LIGHT_HASHING ? { passwordCost: { memoryCost: 8, timeCost: 1, parallelism: 1 } } : {}

/** Runs the shop like `server/main.ts`, but without rate limits, because all visitors of the lab share an address. */
const config = { ...readConfig(process.env), rateLimits: false }
// Closing the primary process sends SIGTERM to its workers, which wait for their visitors.
const opening =
  config.processes > 1 && cluster.isPrimary
    ? openCluster(config, createLog(config.logLevel)).then(({ close }) => ({ stop: close, close }))
    : startBuiltShop(config, { log: createLog(config.logLevel), ...lightHashing })
stopInOrder(opening)
await opening
