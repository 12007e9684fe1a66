import cluster from 'node:cluster'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../config.ts'
import { freePort } from '../database/free-port.ts'
import { StartError } from '../errors.ts'

/** Runs before the start writes anything. With PORT=0, returns a port that the system has picked. */
export async function portFor(config: Config): Promise<number> {
  // The primary process has checked the port for its workers.
  if (cluster.isWorker) return config.port
  // Any port will do to tell whether HOST is an address of this machine.
  const anyPort = await freePort(config.host).catch((error) => {
    throw explainListen(error, config)
  })
  if (config.port === 0) return anyPort
  // Does not listen for the check: during a restart, a visitor who connects at this moment would be cut off.
  if (await isAnswered(config)) throw explainListen({ name: '', message: '', code: 'EADDRINUSE' }, config)
  return config.port
}

/** For the primary process: the system lets several clusters share a port. An abstract socket, which has no file, has one holder. */
export async function holdPort(config: Config): Promise<() => void> {
  if (process.platform !== 'linux') return () => undefined
  const holder = createServer().listen(`\0shop at ${config.host}:${config.port}`)
  try {
    await once(holder, 'listening')
  } catch (error) {
    throw explainListen(error as NodeJS.ErrnoException, config)
  }
  holder.unref()
  return () => void holder.close()
}

export async function listen(app: FastifyInstance, config: Config) {
  // Each worker accepts its own connections: those that Node's primary passes on would be lost when the shop stops.
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
      // If no one listens on a port of the system's ephemeral range, the socket may connect to itself.
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
