import type { Server } from 'node:http'
import { Server as Listener } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Before a stop: nobody new is let in, and everyone who is connected gets a last answer, for as long as a silent
 * connection is kept anyway. Otherwise whoever asks at the moment of the stop is cut off without a word.
 */
export async function drain(server: Server) {
  server.prependListener('request', (_request, response) => {
    response.shouldKeepAlive = false
  })
  // Not the method of the HTTP server: that one also cuts off who is silent.
  Listener.prototype.close.call(server)
  const until = performance.now() + server.keepAliveTimeout
  while (performance.now() < until && (await connectionsOf(server)) > 0) await sleep(20)
}

const connectionsOf = (server: Server) =>
  new Promise<number>((done) => {
    server.getConnections((error, count) => done(error ? 0 : count))
  })
