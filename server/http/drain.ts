import type { Server } from 'node:http'
import { Server as Listener } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'

/**
 * Before stopping: nobody new is let in, and everyone who is connected gets a last answer, for as long as an idle
 * connection is kept anyway. Otherwise a request that arrives during the stop would be cut off without a word.
 */
export async function drain(server: Server) {
  server.prependListener('request', (_request, response) => {
    response.shouldKeepAlive = false
  })
  await untilNobodyWaits(server)
  // Not the HTTP server's own method: that one also cuts off idle connections.
  Listener.prototype.close.call(server)
  const until = performance.now() + server.keepAliveTimeout + server.keepAliveTimeoutBuffer
  while (performance.now() < until && (await connectionsOf(server)) > 0) await sleep(20)
}

/**
 * Closing resets connections that the system has established and Node has not accepted yet, and Node accepts one per
 * turn of its event loop. So the moment to close is right after a turn that found none and was so short that none
 * can have arrived meanwhile. A shop too busy for such a turn stops anyway.
 */
async function untilNobodyWaits(server: Server) {
  let isQuiet = false
  const onConnection = () => {
    isQuiet = false
  }
  server.on('connection', onConnection)
  // The turn that delivered the stop may have checked before it.
  await nextTurn()
  for (const until = performance.now() + 2000; !isQuiet && performance.now() < until; ) {
    const begun = performance.now()
    isQuiet = true
    await nextTurn()
    if (performance.now() - begun > 0.3) isQuiet = false
  }
  server.off('connection', onConnection)
}

const connectionsOf = (server: Server) =>
  new Promise<number>((done) => {
    server.getConnections((error, count) => done(error ? 0 : count))
  })
