import type { Browser, BrowserContext, Page } from '@playwright/test'
import { type Line, line } from './compare.ts'
import { admins, buyers, type Journey, visitors } from './journeys.ts'
import { mainThread, openContext, type Session } from './page-load.ts'

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

/** The events of an act are reported a few frames later. */
async function takeDurations(page: Page): Promise<number[]> {
  await page.waitForTimeout(400)
  return page.evaluate(() => (window as unknown as { takeDurations: () => number[] }).takeDurations())
}

/** Every page with its most common actions. The best round counts for each act: other work on the machine can only add. */
export async function interactions(
  browser: Browser,
  { url, user, admin }: { url: string; user: Session; admin: Session },
  { rounds = 3, slower = 1 } = {},
): Promise<{ all: Measured[]; line: Line }> {
  const people = [[new Map(), visitors] as const, [user, buyers] as const, [admin, admins] as const]
  const best = new Map<string, Measured>()
  for (let round = 0; round < rounds; round++)
    for (const [session, journeys] of people) {
      const context = await openContext(browser, url, session, { viewport: { width: 1280, height: 800 } })
      for (const each of await walk(context, journeys, slower)) {
        const known = best.get(`${each.page} ${each.act}`)
        if (!known || each.milliseconds < known.milliseconds) best.set(`${each.page} ${each.act}`, each)
      }
      await context.close()
    }
  const all = [...best.values()].toSorted((a, b) => b.milliseconds - a.milliseconds || b.cpu - a.cpu)
  const [slowest] = all
  const figure = `${slowest?.milliseconds} ms, the slowest of ${all.length} (${slowest?.page}: ${slowest?.act})`
  const what = 'interaction to next paint'
  if (slower > 1) return { all, line: line(`${what}, CPU ${slower} x slower`, figure) }
  return { all, line: line(what, figure, 'under 50 ms', (slowest?.milliseconds ?? 0) < 50) }
}
