import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync } from 'node:zlib'
import type { Browser, BrowserContextOptions, CDPSession, Page } from '@playwright/test'
import { build, type Rolldown } from 'vite'
import { type Line, line } from './compare.ts'

export type Session = ReadonlyMap<string, string>

const source = `import { createElement as e, useState } from 'react'
import { hydrateRoot } from 'react-dom/client'
function App() {
  const [count, setCount] = useState(0)
  return e('main', null, e('h1', null, 'A bare page'), e('button', { onClick: () => setCount(count + 1) }, count))
}
hydrateRoot(document.body, e(App))`
const html =
  '<!doctype html><html lang="en"><head><title>Bare</title><script type="module" src="/bare.js"></script></head><body><main><h1>A bare page</h1><button>0</button></main></body></html>'

/** The least that React can do: one heading and one button, prerendered and hydrated in the browser. */
async function openBarePage() {
  const name = 'virtual:bare'
  const bare = {
    name: 'bare',
    resolveId: (id: string) => (id === name ? id : null),
    load: (id: string) => (id === name ? source : null),
  }
  const { output } = (await build({
    configFile: false,
    logLevel: 'error',
    plugins: [bare],
    build: { write: false, target: 'es2022', modulePreload: false, rolldownOptions: { input: name } },
  })) as Rolldown.RolldownOutput
  // The build sets NODE_ENV, and anything started later would inherit it.
  delete process.env.NODE_ENV
  const [script, page] = [brotliCompressSync(output[0].code), brotliCompressSync(html)]
  const server = createServer(({ url }, response) => {
    const type = url === '/bare.js' ? 'text/javascript' : 'text/html'
    response.writeHead(200, { 'content-type': type, 'content-encoding': 'br' })
    response.end(url === '/bare.js' ? script : page)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, close: () => server.close() }
}

/** A first-time visitor, or someone with a session, who reaches nothing but the shop. */
export async function openContext(
  browser: Browser,
  url: string,
  session: Session,
  options: BrowserContextOptions,
) {
  const context = await browser.newContext({ baseURL: url, ...options })
  await context.route(
    (address) => address.origin !== new URL(url).origin,
    (route) => route.abort(),
  )
  await context.addCookies([...session].map(([name, value]) => ({ name, value, url })))
  return context
}

/** CPU time of the page's main thread so far, in ms. */
export async function mainThread(devtools: CDPSession, part: 'Task' | 'Script' | 'Layout' = 'Task') {
  const { metrics } = await devtools.send('Performance.getMetrics')
  return 1000 * (metrics.find(({ name }) => name === `${part}Duration`)?.value ?? 0)
}

/** Notes the largest paint, the shifts, and when React first listens to a button: before that, a press does nothing. */
const observe = () => {
  const felt = { paint: 0, interaction: 0, shift: 0 }
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) felt.paint = Math.max(felt.paint, entry.startTime)
  }).observe({ type: 'largest-contentful-paint', buffered: true })
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) felt.shift += (entry as PerformanceEntry & { value: number }).value
  }).observe({ type: 'layout-shift', buffered: true })
  const look = () => {
    const button = document.querySelector('button')
    if (button && Object.keys(button).some((key) => key.startsWith('__reactProps')))
      felt.interaction = performance.now()
    else requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
  Object.assign(window, { felt })
}

/** Lighthouse's slow 4G, and a phone with a quarter of this machine's speed. */
const slow4G = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 93_750 }
const slower = 4
const phone = { viewport: { width: 360, height: 780 }, deviceScaleFactor: 2 }

type Felt = { paint: number; interaction: number; shift: number }

/** Opens a page for a first-time visitor or someone with a session, and reads what it took until it is hydrated and quiet. */
async function visit<Found>(
  browser: Browser,
  url: string,
  { session = new Map() as Session, onPhone = false },
  read: (page: Page, devtools: CDPSession) => Promise<Found>,
) {
  const context = await openContext(browser, url, session, onPhone ? phone : {})
  const page = await context.newPage()
  await page.addInitScript(observe)
  const devtools = await context.newCDPSession(page)
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' })
  if (onPhone) {
    await devtools.send('Network.enable')
    await devtools.send('Network.emulateNetworkConditions', slow4G)
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: slower })
  }
  await page.goto(url, { waitUntil: 'networkidle' })
  await page.waitForFunction(() => (window as unknown as { felt: Felt }).felt.interaction > 0)
  const found = await read(page, devtools)
  await context.close()
  return found
}

/** Times in ms since the navigation began, the sum of all layout shifts, and CPU time until the page is idle. */
const load = (browser: Browser, url: string, session: Session, onPhone: boolean) =>
  visit(browser, url, { session, onPhone }, async (page, devtools) => ({
    cpu: await mainThread(devtools),
    ...(await page.evaluate(() => (window as unknown as { felt: Felt }).felt)),
  }))

type Loaded = Awaited<ReturnType<typeof load>>

/** Pages beside a bare React page, in alternating rounds; the best counts, because noise can only add. */
async function bestLoads(
  browser: Browser,
  pages: Record<string, [url: string, session?: Session]>,
  onPhone: boolean,
) {
  const rounds = onPhone ? 3 : 7
  const bare = await openBarePage()
  const best = new Map<string, Loaded>()
  const all = { 'bare React page': [bare.url] as [string], ...pages }
  for (let round = 0; round < rounds; round++)
    for (const [name, [url, session = new Map()]] of Object.entries(all)) {
      const loaded = await load(browser, url, session, onPhone)
      const known = best.get(name) ?? loaded
      const least = Object.entries(loaded).map(([key, value]) => [
        key,
        Math.min(value, known[key as keyof Loaded]),
      ])
      best.set(name, Object.fromEntries(least))
    }
  bare.close()
  return [...best]
}

const product = '/products/rebound-sigma-pro'

const compared = ['/', product, '/about', '/checkout?product=rebound-sigma-pro', '/auth']
type Traced = { name: string; pid: number; tid: number; tdur?: number; args: { name?: string } }

/**
 * Main-thread CPU until a page is hydrated and quiet, in ms: all of it, scripts, layout; and what tasks of more than 50 ms
 * would block a phone for, whose CPU is four times slower. By thread time, because others are at work on this machine, too.
 */
async function work(browser: Browser, url: string) {
  const tracing = await browser.newBrowserCDPSession()
  const events: Traced[] = []
  tracing.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as Traced[])))
  const traceConfig = { includedCategories: ['toplevel', '__metadata'] }
  await tracing.send('Tracing.start', { traceConfig, transferMode: 'ReportEvents' })
  const parts = await visit(browser, url, {}, async (page, devtools) => {
    await page.waitForTimeout(500)
    return Promise.all((['Task', 'Script', 'Layout'] as const).map((part) => mainThread(devtools, part)))
  })
  const traced = new Promise<unknown>((resolve) => tracing.once('Tracing.tracingComplete', resolve))
  await tracing.send('Tracing.end')
  await traced
  await tracing.detach()
  const mains = events.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
  const blocking = mains.map(({ pid, tid }) =>
    events
      .filter((task) => task.name.endsWith('::RunTask') && task.pid === pid && task.tid === tid)
      .reduce((sum, { tdur = 0 }) => sum + Math.max(0, (tdur / 1000) * slower - 50), 0),
  )
  return {
    'main thread': parts[0],
    scripts: parts[1],
    layout: parts[2],
    'blocking, CPU 4 x slower': Math.max(...blocking),
  }
}

/** Two builds in alternating rounds, page by page; `note` takes each figure. */
export async function workBeside(
  browser: Browser,
  [there, here]: [string, string],
  rounds: number,
  note: (what: string, index: 0 | 1, figure: number) => void,
) {
  for (let round = 0; round < rounds; round++)
    // The second finds the machine as the first has left it, so they take turns.
    for (const path of compared)
      for (const index of round % 2 ? ([0, 1] as const) : ([1, 0] as const))
        for (const [what, figure = 0] of Object.entries(await work(browser, [there, here][index] + path)))
          note(`${path}: ${what}, ms of CPU`, index, figure)
}

/** Main-thread CPU time until a page has loaded and gone idle, for a first-time visitor. */
export async function pageLoads(browser: Browser, url: string): Promise<Line[]> {
  const pages = { home: [`${url}/`], 'product page': [url + product] } as Record<string, [string]>
  const [bare, ...loads] = await bestLoads(browser, pages, false)
  const limit = bare?.[1].cpu ?? 0
  return loads.map(([name, { cpu }]) =>
    line(
      `${name}, main-thread CPU at load`,
      `${(cpu / limit).toFixed(2)} x a bare React page (${cpu.toFixed(0)} ms; bare ${limit.toFixed(0)} ms)`,
      'at most 1.6 x',
      cpu / limit <= 1.6,
    ),
  )
}

/** What a person on a slow phone feels. */
export async function slowPhone(
  browser: Browser,
  { url, user }: { url: string; user: Session },
): Promise<Line[]> {
  const loads = await bestLoads(
    browser,
    {
      home: [`${url}/`],
      'product page': [url + product],
      checkout: [`${url}/checkout?product=rebound-sigma-pro`],
      dashboard: [`${url}/dashboard`, user],
    },
    true,
  )
  const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(2)} s`
  return loads.map(([name, { paint, interaction, shift }], index) => {
    const what = `${name}, slow 4G and CPU ${slower} x slower`
    const figure = `largest paint ${seconds(paint)}, first interaction ${seconds(interaction)}, shift ${shift.toFixed(3)}`
    if (index === 0) return line(what, figure)
    return line(what, figure, 'largest paint within 2.5 s, shift 0', paint <= 2500 && shift < 0.001)
  })
}
