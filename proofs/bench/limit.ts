import { fork } from 'node:child_process'
import { once } from 'node:events'
import { type IncomingMessage, get as request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { get } from '../lab/load.ts'
import type { Target } from './compare.ts'

export type Limit = Target & { close(): void }

/** The limit: a bare server that writes a page's own bytes and headers. */
export async function openLimit(url: string, path = '/'): Promise<Limit> {
  const asked = request(url + path, { headers: { 'accept-encoding': 'br' } })
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  const child = fork(fileURLToPath(new URL('./limit-server.ts', import.meta.url)))
  child.send({
    body: (await buffer(response)).toString('base64'),
    headers: Object.entries(response.headers)
      .filter(([name]) => !/^(date|connection|keep-alive)$/.test(name))
      .flat(),
  })
  const [{ port }] = (await once(child, 'message')) as [AddressInfo]
  return { pid: child.pid ?? 0, port, request: get('/'), close: () => child.kill() }
}
