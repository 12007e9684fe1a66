import type { Server } from 'node:http'
import { Server as Listener, type Socket } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'

/** Accepts no new connections and answers the open ones once more, for as long as an idle connection is kept. */
export async function drain(server: Server) {
  server.prependListener('request', (_request, response) => {
    response.shouldKeepAlive = false
  })
  const waited = await acceptWaitingConnections(server)
  // Not the HTTP server's own method: that one also cuts off idle connections.
  Listener.prototype.close.call(server)
  for (const socket of waited) server.emit('connection', socket)
  const until = performance.now() + server.keepAliveTimeout + server.keepAliveTimeoutBuffer
  while (performance.now() < until && (await connectionsOf(server)) > 0) await sleep(20)
}

/**
 * Closing resets connections that the system has established and Node has not accepted yet. Node accepts one per turn
 * of its event loop, so on a busy shop some always wait. Here they are accepted but not served yet: anyone who waits for
 * an answer does not come back, and soon no one is left outside. That is known after a turn that found no one and
 * was so short that no one can have come since.
 */
async function acceptWaitingConnections(server: Server): Promise<Socket[]> {
  const waiting: Socket[] = []
  const serve = server.listeners('connection') as ((socket: Socket) => void)[]
  server.removeAllListeners('connection')
  server.on('connection', (socket) => waiting.push(socket))
  // The turn that delivered the stop may have looked before it.
  await nextTurn()
  for (let [isQuiet, until] = [false, performance.now() + 2000]; !isQuiet && performance.now() < until; ) {
    const [begun, before] = [performance.now(), waiting.length]
    await nextTurn()
    isQuiet = waiting.length === before && performance.now() - begun < 0.3
  }
  server.removeAllListeners('connection')
  for (const listener of serve) server.on('connection', listener)
  return waiting
}

const connectionsOf = (server: Server) =>
  new Promise<number>((done) => {
    server.getConnections((error, count) => done(error ? 0 : count))
  })
