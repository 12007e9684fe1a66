import type { Logger } from 'pino'
import type { Shop } from '../start.ts'

/** SIGTERM (service managers) waits for visitors; SIGINT and SIGHUP do not. Each waits for the start to end. */
export function stopInOrder(opening: Promise<Pick<Shop, 'stop' | 'close'>>, log?: Logger) {
  let stopping = false
  const end = async (signal: string, method: 'stop' | 'close') => {
    if (stopping) return
    stopping = true
    // If the start fails, `run` reports it and ends the process.
    const shop = await opening.catch(() => undefined)
    if (!shop) return
    await shop[method]()
    log?.info({ signal }, 'The shop is closed')
    process.exit(0)
  }
  process.on('SIGTERM', () => void end('SIGTERM', 'stop'))
  for (const signal of ['SIGINT', 'SIGHUP']) process.on(signal, () => void end(signal, 'close'))
}
