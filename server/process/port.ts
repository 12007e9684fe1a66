import cluster from 'node:cluster'
import { type AddressInfo, createServer } from 'node:net'
import type { Config } from '../config.ts'
import { StartError } from '../errors.ts'

/** Known before anything is written; with PORT=0 the system picks one, and pages and mails must name it. */
export async function portFor(config: Config): Promise<number> {
  // Of several processes the first has tried it for all: here a visitor who comes just then would be lost with the probe.
  if (cluster.isWorker) return config.port
  const probe = createServer((socket) => socket.destroy())
  return new Promise((done, failed) => {
    probe.once('error', (error: NodeJS.ErrnoException) => failed(explainListen(error, config)))
    probe.listen(config.port, config.host, () => {
      const { port } = probe.address() as AddressInfo
      probe.close(() => done(port))
    })
  })
}

export function explainListen(error: NodeJS.ErrnoException, { port, host }: Config): Error {
  if (error.code === 'EADDRINUSE')
    return new StartError(`Port ${port} is taken. Stop what uses it, or choose another: PORT=3001 npm start`)
  if (error.code === 'EACCES')
    return new StartError(
      `Port ${port} needs more rights than this user has. Choose one above 1023: PORT=3000 npm start`,
    )
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND')
    return new StartError(`HOST=${host} is not an address of this machine.`)
  return error
}
