import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Free right now, and below 32768, where systems take the ports of outgoing connections from. */
export async function freePort(host = '127.0.0.1'): Promise<number> {
  const server = createServer()
  const port = randomInt(10_000, 32_768)
  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return freePort(host)
    throw error
  }
  server.close()
  await once(server, 'close')
  return port
}
