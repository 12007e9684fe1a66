import type { Server } from 'node:http'
import { Server as Listener, type Socket } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'

/** Stops accepting connections and answers one more request on each open one, at most for the keep-alive timeout. */
export async function drain(server: Server) {
  server.prependListener('request', (_request, response) => {
    response.shouldKeepAlive = false
  })
  const acceptedSockets = await acceptWaitingConnections(server)
  // The HTTP server's own `close` would also cut off idle connections.
  Listener.prototype.close.call(server)
  for (const socket of acceptedSockets) server.emit('connection', socket)
  const deadline = performance.now() + server.keepAliveTimeout + server.keepAliveTimeoutBuffer
  while (performance.now() < deadline && (await countConnections(server)) > 0) await sleep(20)
}

/**
 * Closing would reset connections that Node has not accepted yet. It accepts one per turn of its event loop.
 * Accepted ones are not served yet, so their clients open no further connections and the queue runs empty.
 */
async function acceptWaitingConnections(server: Server): Promise<Socket[]> {
  const sockets: Socket[] = []
  const serveListeners = server.listeners('connection') as ((socket: Socket) => void)[]
  server.removeAllListeners('connection')
  server.on('connection', (socket) => sockets.push(socket))
  // The current turn may have looked for connections before the listener changed.
  await nextTurn()

  const deadline = performance.now() + 2000
  let isQueueEmpty = false
  while (!isQueueEmpty && performance.now() < deadline) {
    const turnStartedAt = performance.now()
    const countBefore = sockets.length
    await nextTurn()
    // In a turn of less than 0.3 ms, no further connection can have arrived unnoticed.
    isQueueEmpty = sockets.length === countBefore && performance.now() - turnStartedAt < 0.3
  }

  server.removeAllListeners('connection')
  for (const listener of serveListeners) server.on('connection', listener)
  return sockets
}

const countConnections = (server: Server) =>
  new Promise<number>((done) => {
    server.getConnections((error, count) => done(error ? 0 : count))
  })
