import type { Shop } from '../start.ts'

/** SIGTERM, from a service manager, waits for visitors; SIGINT, from Ctrl+C, does not. Either lets a start finish. */
export function stopInOrder(opening: Promise<Pick<Shop, 'stop' | 'close'>>) {
  let stopping = false
  const end = async (how: 'stop' | 'close') => {
    if (stopping) return
    stopping = true
    // If the start fails, `run` reports it and ends the process.
    const shop = await opening.catch(() => undefined)
    await shop?.[how]()
    if (shop) process.exit(0)
  }
  process.on('SIGTERM', () => void end('stop'))
  process.on('SIGINT', () => void end('close'))
}
