import { Agent, request } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { query } from './lab.ts'
import { personalData } from './shop-process.ts'

export type Request = { path: string; method?: string; headers?: Record<string, string>; body?: string }

/** Status of a complete response; `refused` if no connection was made, `cut off` if the response was incomplete. */
export type Answer = number | 'refused' | 'cut off'

type Options = {
  /** Without one, each request opens its own connection. */
  agent?: Agent
  onCutOff?: (reason: string) => void
}

/** `node:http` tells refused connections from lost ones and costs less than `fetch`. */
export function ask(
  { port }: { port: number },
  { path, method = 'GET', headers = {}, body }: Request,
  { agent, onCutOff }: Options = {},
): Promise<Answer> {
  return new Promise((resolve) => {
    let isConnected = false
    const cutOff = (reason: string) => {
      onCutOff?.(`${method} ${path}: ${reason} on a ${clientRequest.reusedSocket ? 'used' : 'new'} connection`)
      resolve('cut off')
    }
    const options = { host: '127.0.0.1', port, path, method, headers, agent: agent ?? false, timeout: 20_000 }
    const clientRequest = request(options, (response) => {
      response
        .once('error', (error) => cutOff(`${error.message} in the middle of the response`))
        .once('end', () => resolve(response.statusCode ?? 0))
        .resume()
    })
    clientRequest
      .once('socket', (socket: Socket) => {
        if (socket.connecting) socket.once('connect', () => (isConnected = true))
        else isConnected = true
      })
      .once('timeout', () => clientRequest.destroy(new Error('no response for 20 s')))
      .once('error', ({ code, message }: NodeJS.ErrnoException) => {
        if (isConnected) cutOff(code ?? message)
        else resolve('refused')
      })
      .end(body)
  })
}

export const ownConnection = () => new Agent({ keepAlive: true, maxSockets: 1 })

const subscription = (email: string, headers: Record<string, string>) => ({
  method: 'POST',
  path: '/api/newsletter/subscribe',
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify({ email }),
})

export function createWrites(headers: () => Record<string, string> = () => ({})) {
  const acknowledged: string[] = []
  return {
    acknowledged,
    async write(shop: { port: number }, name: string, options?: Parameters<typeof ask>[2]): Promise<Answer> {
      const email = `reader-${name}@${personalData.domain}`
      const answer = await ask(shop, subscription(email, headers()), options)
      if (answer === 200) acknowledged.push(email)
      return answer
    },
    async countLost(databaseUrl: string): Promise<number> {
      const [row] = await query<{ count: number }>(
        databaseUrl,
        'select count(*)::int as count from newsletter_subscriptions where email = any($1)',
        [acknowledged],
      )
      return acknowledged.length - (row?.count ?? 0)
    },
  }
}

export async function retryUntilWritten(write: () => Promise<Answer>): Promise<Answer> {
  const endsAt = performance.now() + 30_000
  for (;;) {
    const answer = await write()
    if (answer === 200 || performance.now() > endsAt) return answer
    await sleep(50)
  }
}
