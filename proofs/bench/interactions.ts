import type { Browser, BrowserContext, CDPSession, Page } from '@playwright/test'
import type { Line } from './compare.ts'
import { admins, buyers, type Journey, visitors } from './journeys.ts'

/** Time from the input to the next frame, and main-thread work for the whole act. */
type Measured = { page: string; act: string; milliseconds: number; cpu: number }
/** Collects the events behind Interaction to Next Paint, each timed from the input to the next frame. */
const observe = () => {
  const durations: number[] = []
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries())
      if ((entry as PerformanceEntry & { interactionId: number }).interactionId > 0)
        durations.push(entry.duration)
  }).observe({ type: 'event', durationThreshold: 16, buffered: true } as PerformanceObserverInit)
  Object.assign(window, { takeDurations: () => durations.splice(0) })
}

async function walk(context: BrowserContext, journeys: Journey[], slower: number): Promise<Measured[]> {
  const found: Measured[] = []
  for (const { path, acts, prepare } of journeys) {
    const page = await context.newPage()
    await page.addInitScript(observe)
    await page.goto(path, { waitUntil: 'networkidle' })
    await prepare?.(page)
    const devtools = await context.newCDPSession(page)
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: slower })
    await devtools.send('Performance.enable', { timeDomain: 'threadTicks' })
    await takeDurations(page)
    for (const [act, run] of Object.entries(acts)) {
      const before = await mainThread(devtools)
      await run(page)
      const durations = await takeDurations(page)
      const cpu = (await mainThread(devtools)) - before
      // Anything under 16 ms is not reported at all.
      found.push({ page: path, act, milliseconds: Math.max(8, ...durations), cpu })
    }
    await page.close()
  }
  return found
}

/** CPU time of the page's main thread so far, in ms. */
export async function mainThread(devtools: CDPSession) {
  const { metrics } = await devtools.send('Performance.getMetrics')
  return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0)
}

/** The events of an act are reported a few frames later. */
async function takeDurations(page: Page): Promise<number[]> {
  await page.waitForTimeout(400)
  return page.evaluate(() => (window as unknown as { takeDurations: () => number[] }).takeDurations())
}

/**
 * Every page with its most common actions. The best round counts for each act, because other work on the machine can
 * only add to it.
 */
export async function interactions(
  browser: Browser,
  { url, user, admin }: { url: string; user: Session; admin: Session },
  { rounds = 3, slower = 1 } = {},
): Promise<{ all: Measured[]; line: Line }> {
  const best = new Map<string, Measured>()
  for (let round = 0; round < rounds; round++)
    for (const [session, journeys] of [
      [new Map(), visitors],
      [user, buyers],
      [admin, admins],
    ] as const) {
      const context = await browser.newContext({ baseURL: url, viewport: { width: 1280, height: 800 } })
      await context.route(
        (address) => address.origin !== url,
        (route) => route.abort(),
      )
      await context.addCookies([...session].map(([name, value]) => ({ name, value, url })))
      for (const each of await walk(context, journeys, slower)) {
        const known = best.get(`${each.page} ${each.act}`)
        if (!known || each.milliseconds < known.milliseconds) best.set(`${each.page} ${each.act}`, each)
      }
      await context.close()
    }
  const all = [...best.values()].toSorted((a, b) => b.milliseconds - a.milliseconds || b.cpu - a.cpu)
  const [slowest] = all
  return {
    all,
    line: {
      what: `interaction to next paint${slower === 1 ? '' : `, CPU ${slower} x slower`}`,
      figure: `${slowest?.milliseconds} ms, the slowest of ${all.length} (${slowest?.page}: ${slowest?.act})`,
      budget: slower === 1 ? 'under 50 ms' : '',
      ok: slower === 1 ? (slowest?.milliseconds ?? 0) < 50 : undefined,
    },
  }
}

type Session = ReadonlyMap<string, string>
