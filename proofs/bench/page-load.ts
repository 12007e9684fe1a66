import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync } from 'node:zlib'
import type { Browser } from '@playwright/test'
import { build, type Rolldown } from 'vite'
import type { Line } from './compare.ts'
import { mainThread } from './interactions.ts'

const source = `import { createElement as e, useState } from 'react'
import { hydrateRoot } from 'react-dom/client'
function App() {
  const [count, setCount] = useState(0)
  return e('main', null, e('h1', null, 'A bare page'), e('button', { onClick: () => setCount(count + 1) }, count))
}
hydrateRoot(document.body, e(App))`

/** The least that React can do: one heading and one button, prerendered and hydrated in the browser. */
export async function openBarePage() {
  const name = 'virtual:bare'
  const { output } = (await build({
    configFile: false,
    logLevel: 'error',
    plugins: [
      {
        name: 'bare',
        resolveId: (id) => (id === name ? id : null),
        load: (id) => (id === name ? source : null),
      },
    ],
    build: { write: false, target: 'es2022', modulePreload: false, rolldownOptions: { input: name } },
  })) as Rolldown.RolldownOutput
  // The build sets NODE_ENV, and anything started later would inherit it.
  delete process.env.NODE_ENV
  const script = brotliCompressSync(output[0].code)
  const page = brotliCompressSync(
    '<!doctype html><html lang="en"><head><title>Bare</title><script type="module" src="/bare.js"></script></head><body><main><h1>A bare page</h1><button>0</button></main></body></html>',
  )
  const server = createServer((request, response) => {
    const isScript = request.url === '/bare.js'
    response.writeHead(200, {
      'content-type': isScript ? 'text/javascript' : 'text/html',
      'content-encoding': 'br',
    })
    response.end(isScript ? script : page)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () => server.close(),
  }
}

/** Main-thread CPU time until a page has loaded and gone idle, for a first-time visitor. */
async function cpuAtLoad(browser: Browser, url: string) {
  const context = await browser.newContext()
  const { origin } = new URL(url)
  await context.route(
    (address) => address.origin !== origin,
    (route) => route.abort(),
  )
  const page = await context.newPage()
  const devtools = await context.newCDPSession(page)
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' })
  await page.goto(url, { waitUntil: 'networkidle' })
  const cpu = await mainThread(devtools)
  await context.close()
  return cpu
}

/** Pages compared with a bare React page in alternating rounds; the best counts, because noise can only add. */
export async function pageLoads(
  browser: Browser,
  url: string,
  { rounds = 7 }: { rounds?: number } = {},
): Promise<Line[]> {
  const bare = await openBarePage()
  const pages = { home: `${url}/`, 'product page': `${url}/products/rebound-sigma-pro` }
  const best = new Map<string, number>()
  for (let round = 0; round < rounds; round++)
    for (const [name, address] of Object.entries({ ...pages, bare: bare.url }))
      best.set(name, Math.min(best.get(name) ?? Infinity, await cpuAtLoad(browser, address)))
  bare.close()
  const limit = best.get('bare') ?? 0
  return Object.keys(pages).map((name) => {
    const cpu = best.get(name) ?? 0
    return {
      what: `${name}, main-thread CPU at load`,
      figure: `${(cpu / limit).toFixed(2)} x a bare React page (${cpu.toFixed(0)} ms; bare ${limit.toFixed(0)} ms)`,
      budget: 'at most 1.6 x',
      ok: cpu / limit <= 1.6,
    }
  })
}
