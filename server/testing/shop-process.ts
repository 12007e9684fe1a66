import { spawn } from 'node:child_process'
import cluster from 'node:cluster'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { type Config, readConfig } from '../config.ts'
import { openCluster } from '../process/cluster.ts'
import { startBuiltShop } from './built-shop.ts'

export async function startShopProcess(env: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), 'shop-process-'))
  const child = spawn(process.execPath, [import.meta.filename], {
    env: { ...process.env, PORT: '0', DATA_DIR: folder, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const ended = exited.then(([code]) => {
    throw new Error(`The shop ended with code ${code}`)
  })
  const [url] = await Promise.race([once(child.stdout, 'data'), ended])
  // From now on, a test ends the process on purpose.
  ended.catch(() => undefined)
  const end = async (signal: 'SIGKILL' | 'SIGTERM') => {
    child.kill(signal)
    const [code] = await exited
    rmSync(folder, { recursive: true, force: true })
    return code as number | null
  }
  return { url: String(url).trim(), pid: child.pid ?? 0, kill: () => end('SIGKILL'), stop: () => end('SIGTERM') }
}

if (import.meta.main) {
  const config = { ...readConfig(process.env), rateLimits: false }
  const isPrimary = config.processes > 1 && cluster.isPrimary
  const { close } = isPrimary
    ? await openCluster(config, pino({ level: process.env.TEST_LOG ?? 'silent' }))
    : await openOne(config)
  process.on('SIGTERM', () => void close().then(() => process.exit(0)))
}

async function openOne(config: Config) {
  const shop = await startBuiltShop(config, {
    log: pino({ level: process.env.TEST_LOG ?? 'silent' }),
    withPages: false,
  })
  // Tells tests of a cluster which process has answered.
  shop.app.server.prependListener('request', (_request, response) => response.setHeader('answered-by', process.pid))
  // A killed process writes nothing at its end, and the next one would have to compile everything again.
  flushCompileCache()
  process.stdout.write(`${shop.config.publicUrl}\n`)
  return shop
}
