import cluster from 'node:cluster'
import { connect } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../config.ts'
import { freePort } from '../database/free-port.ts'
import { StartError } from '../errors.ts'

/** Known before anything is written; with PORT=0 the system picks one, and pages and emails must name it. */
export async function portFor(config: Config): Promise<number> {
  // Among several processes, the first has tried it for all.
  if (cluster.isWorker) return config.port
  // Any port will do to tell whether HOST is an address of this machine.
  const anyPort = await freePort(config.host).catch((error) => {
    throw explainListen(error, config)
  })
  if (config.port === 0) return anyPort
  // Not by listening: during a restart visitors wait for this port, and one arriving now would be cut off.
  if (await isAnswered(config)) throw explainListen({ name: '', message: '', code: 'EADDRINUSE' }, config)
  return config.port
}

export async function listen(app: FastifyInstance, config: Config) {
  // Several processes each accept their own visitors: those that Node's primary holds for them are lost in a stop.
  const reusePort = cluster.isWorker && process.platform === 'linux'
  const options = { port: config.port, host: config.host, reusePort }
  try {
    await app.listen(options)
  } catch (error) {
    throw explainListen(error as NodeJS.ErrnoException, config)
  }
  if (cluster.isWorker) process.send?.('listening')
}

function isAnswered({ port, host }: Config): Promise<boolean> {
  const isEveryAddress = host === '0.0.0.0' || host === '::'
  return new Promise((done) => {
    const socket = connect({ port, host: isEveryAddress ? 'localhost' : host })
    socket.once('error', () => done(false))
    socket.once('connect', () => {
      // A port from the system's own range may happen to be connected to itself.
      done(socket.localPort !== port)
      socket.destroy()
    })
  })
}

function explainListen(error: NodeJS.ErrnoException, { port, host }: Config): Error {
  if (error.code === 'EADDRINUSE')
    return new StartError(`Port ${port} is in use. Stop what uses it, or choose another: PORT=3001 npm start`)
  if (error.code === 'EACCES')
    return new StartError(
      `Port ${port} needs more privileges than this user has. Choose one above 1023: PORT=3000 npm start`,
    )
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND')
    return new StartError(`HOST=${host} is not an address of this machine.`)
  return error
}
