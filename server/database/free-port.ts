import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Stays below 32768, where Linux's ephemeral range starts. */
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
