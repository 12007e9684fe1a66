import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * A port that is free right now and stays so: systems take the ports of outgoing connections from 32768 up, and one
 * of those could be gone before it is listened on.
 */
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
