import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { LoadOptions, LoadReport } from './load-generator.ts'

const generator = fileURLToPath(new URL('./load-generator.ts', import.meta.url))

/** Puts load on a server, from a separate process. */
export async function runLoad(options: LoadOptions): Promise<LoadReport> {
  const child = fork(generator)
  child.send(options)
  const [report] = (await once(child, 'message')) as [LoadReport]
  return report
}

export const get = (path: string, cookie = '') =>
  `GET ${path} HTTP/1.1\r\nhost: localhost\r\naccept-encoding: br\r\n${cookie ? `cookie: ${cookie}\r\n` : ''}\r\n`

export const post = (path: string, body: object) => {
  const json = JSON.stringify(body)
  return `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(json)}\r\n\r\n${json}`
}
