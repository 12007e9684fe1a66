import { Agent, request } from 'node:http'
import type { Socket } from 'node:net'

export type Request = { path: string; method?: string; headers?: Record<string, string>; body?: string }

/**
 * What became of a request: the status of a complete response; `refused`, because no one was listening; or `cut off`,
 * when it had a connection but got no complete response.
 */
export type Answer = number | 'refused' | 'cut off'

type Options = {
  /** Without one, each request opens its own connection. */
  agent?: Agent
  /** Called with the reason a request was cut off. */
  onCutOff?: (reason: string) => void
}

/** Plain `node:http`: it distinguishes a refused connection from a lost one, and costs less than `fetch`. */
export function ask(
  { port }: { port: number },
  { path, method = 'GET', headers = {}, body }: Request,
  { agent, onCutOff }: Options = {},
): Promise<Answer> {
  return new Promise((resolve) => {
    let connected = false
    const cutOff = (reason: string) => {
      onCutOff?.(`${method} ${path}: ${reason} on a ${asked.reusedSocket ? 'used' : 'new'} connection`)
      resolve('cut off')
    }
    const options = { host: '127.0.0.1', port, path, method, headers, agent: agent ?? false, timeout: 20_000 }
    const asked = request(options, (response) => {
      response
        .once('error', (error) => cutOff(`${error.message} in the middle of the response`))
        .once('end', () => resolve(response.statusCode ?? 0))
        .resume()
    })
    asked
      .once('socket', (socket: Socket) => {
        if (socket.connecting) socket.once('connect', () => (connected = true))
        else connected = true
      })
      .once('timeout', () => asked.destroy(new Error('no response for 20 s')))
      .once('error', ({ code, message }: NodeJS.ErrnoException) => {
        if (connected) cutOff(code ?? message)
        else resolve('refused')
      })
      .end(body)
  })
}

/** One visitor's connection, kept alive between requests. */
export const ownConnection = () => new Agent({ keepAlive: true, maxSockets: 1 })
