import http, { type ClientRequest, type RequestOptions } from 'node:http'
import https from 'node:https'
import { syncBuiltinESMExports } from 'node:module'

/** For `node --import`: sends requests for Stripe to the stand-in at STRIPE_STAND_IN_PORT. */
const port = process.env.STRIPE_STAND_IN_PORT
const request = https.request

function rerouteRequest(...args: Parameters<typeof https.request>): ClientRequest {
  const options = args[0] as RequestOptions
  if (!['api.stripe.com', 'files.stripe.com'].includes(String(options.host))) return request(...args)
  const { agent: _, ...optionsWithoutAgent } = options
  const rerouted = http.request({ ...optionsWithoutAgent, host: '127.0.0.1', port, protocol: 'http:' })
  // Stripe's SDK waits for `secureConnect` before it writes, and a plain connection never emits it.
  rerouted.on('socket', (socket) => socket.once('connect', () => socket.emit('secureConnect')))
  return rerouted
}

if (port) {
  https.request = rerouteRequest as typeof https.request
  syncBuiltinESMExports()
}
