import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { openEmbedded } from '../database/embedded.ts'
import { relayMetrics } from '../metrics/every-process.ts'
import { holdPort, portFor } from './port.ts'

/** The primary process runs the embedded PostgreSQL for its workers. */
export async function openCluster(config: Config, log: Logger) {
  const port = await portFor(config)
  const releasePort = await holdPort({ ...config, port })
  const database = config.databaseUrl ? undefined : await openEmbedded(config.dataDir)
  const environment: Record<string, string> = { PORT: String(port) }
  if (database) environment['DATABASE_URL'] = database.url
  let stopping = false
  let hasOpened = false

  const fork = async () => {
    const worker = cluster.fork(environment)
    worker.once('exit', (code, signal) => void replace(worker, code, signal))
    const listening = new Promise<void>((done) => {
      worker.on('message', (message) => message === 'listening' && done())
    })
    await Promise.race([listening.then(() => (hasOpened = true)), once(worker, 'exit')])
  }

  async function replace(worker: Worker, code: number | null, signal: string | null) {
    if (stopping || worker.exitedAfterDisconnect) return
    // The worker has reported why it cannot start; another one would fail in the same way.
    if (!hasOpened) process.exit(code || 1)
    log.error({ pid: worker.process.pid, code, signal }, 'A server process ended; another one is started')
    await sleep(1000)
    if (!stopping) await fork()
  }

  async function close() {
    stopping = true
    releasePort()
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)
    const exits = workers.map((worker) => once(worker, 'exit'))
    for (const worker of workers) worker.process.kill('SIGTERM')
    await Promise.all(exits)
    await database?.close()
  }

  relayMetrics()
  // The first process migrates and creates the first admin before the others start.
  for (let started = 0; started < config.processes; started++) await fork()
  return { close }
}
