import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { pino } from 'pino'
import type { RenderData } from '#contract/site/site-settings.ts'
import { readConfig } from '../config.ts'
import { securityHeaders } from '../http/headers.ts'
import { openPages } from '../pages/pages.ts'

type PagesPaths = { dist: string; cacheDir: string; databaseUrl: string }

export async function startPagesProcess(pagesPaths: PagesPaths) {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), JSON.stringify(pagesPaths)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const [url] = await Promise.race([once(child.stdout, 'data'), exited.then(() => ['it ended'])])
  return {
    url: String(url).trim(),
    async stop() {
      child.kill()
      await exited
    },
  }
}

if (import.meta.main) {
  const { dist, cacheDir, databaseUrl }: PagesPaths = JSON.parse(process.argv[2] ?? '')
  const client = new pg.Client(databaseUrl)
  await client.connect()
  const pages = await openPages({
    dist,
    cacheDir,
    readData: async () =>
      (await client.query<RenderData>('select text as "supportEmail" from shown')).rows[0] as RenderData,
    security: securityHeaders(readConfig({})),
    log: pino({ level: 'silent' }),
  })
  const server = createServer((request, response) => {
    if (request.method === 'POST')
      void pages.refresh().then(
        () => response.end(),
        () => response.writeHead(500).end(),
      )
    else if (!pages.serve(request, response)) pages.notFound(request, response)
  }).listen(0, '127.0.0.1', () => {
    process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
  })
}
