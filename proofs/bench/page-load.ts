import type { Browser, BrowserContextOptions, CDPSession, Page } from '@playwright/test'
import { type Line, line } from './compare.ts'

export type Session = ReadonlyMap<string, string>

export async function openContext(browser: Browser, url: string, session: Session, options: BrowserContextOptions) {
  const context = await browser.newContext({ baseURL: url, ...options })
  await context.route(
    (address) => address.origin !== new URL(url).origin,
    (route) => route.abort(),
  )
  await context.addCookies([...session].map(([name, value]) => ({ name, value, url })))
  return context
}

/** CPU time of the page's main thread so far, in ms. */
async function mainThread(devtools: CDPSession, part: 'Task' | 'Script' | 'Layout') {
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

const product = '/products/rebound-sigma-pro'
const checkout = '/checkout?product=rebound-sigma-pro'

/** What a person on a slow phone feels. The best of three rounds counts, because noise can only add. */
export async function slowPhone(browser: Browser, url: string, sessionFor: (path: string) => Session) {
  const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(2)} s`
  const lines: Line[] = []
  for (const path of ['/', product, checkout, '/dashboard']) {
    const loads: Felt[] = []
    for (let round = 0; round < 3; round++)
      loads.push(
        await visit(browser, url + path, { session: sessionFor(path), onPhone: true }, (page) =>
          page.evaluate(() => (window as unknown as { felt: Felt }).felt),
        ),
      )
    const least = (key: keyof Felt) => Math.min(...loads.map((each) => each[key]))
    const [paint, shift] = [least('paint'), least('shift')]
    const figure = `largest paint ${seconds(paint)}, first interaction ${seconds(least('interaction'))}, shift ${shift.toFixed(3)}`
    const budget = 'largest paint within 2.5 s, shift 0'
    lines.push(line(`${path}, slow 4G and CPU ${slower} x slower`, figure, budget, paint <= 2500 && shift < 0.001))
  }
  return lines
}

const compared = ['/', product, '/about', checkout, '/auth']
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
