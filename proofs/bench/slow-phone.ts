import type { Browser } from '@playwright/test'
import type { Line } from './compare.ts'
import { openBarePage } from './page-load.ts'

/** Lighthouse's slow 4G, and a phone with a quarter of this machine's speed. */
const network = {
  offline: false,
  latency: 150,
  downloadThroughput: (1.6 * 1_000_000) / 8,
  uploadThroughput: (750 * 1000) / 8,
}
const slower = 4

/** In ms since the navigation began, and the sum of all layout shifts. */
type Felt = { paint: number; interaction: number; shift: number }

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

async function load(browser: Browser, url: string, cookies: ReadonlyMap<string, string>): Promise<Felt> {
  const { origin } = new URL(url)
  const context = await browser.newContext({ viewport: { width: 360, height: 780 }, deviceScaleFactor: 2 })
  await context.route(
    (address) => address.origin !== origin,
    (route) => route.abort(),
  )
  await context.addCookies([...cookies].map(([name, value]) => ({ name, value, url: origin })))
  const page = await context.newPage()
  await page.addInitScript(observe)
  const devtools = await context.newCDPSession(page)
  await devtools.send('Network.enable')
  await devtools.send('Network.emulateNetworkConditions', network)
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: slower })
  await page.goto(url)
  await page.waitForFunction(() => (window as unknown as { felt: Felt }).felt.interaction > 0)
  await page.waitForLoadState('networkidle')
  const felt = await page.evaluate(() => (window as unknown as { felt: Felt }).felt)
  await context.close()
  return felt
}

/** What a person on a slow phone feels, beside a bare React page in the same rounds; the best counts. */
export async function slowPhone(
  browser: Browser,
  { url, user }: { url: string; user: ReadonlyMap<string, string> },
  { rounds = 3 }: { rounds?: number } = {},
): Promise<Line[]> {
  const bare = await openBarePage()
  const nobody = new Map<string, string>()
  const pages = [
    { name: 'bare React page', address: bare.url, cookies: nobody },
    { name: 'home', address: `${url}/`, cookies: nobody },
    { name: 'product page', address: `${url}/products/rebound-sigma-pro`, cookies: nobody },
    { name: 'checkout', address: `${url}/checkout?product=rebound-sigma-pro`, cookies: nobody },
    { name: 'dashboard', address: `${url}/dashboard`, cookies: user },
  ]
  const best = new Map<string, Felt>()
  for (let round = 0; round < rounds; round++)
    for (const { name, address, cookies } of pages) {
      const { paint, interaction, shift } = await load(browser, address, cookies)
      const known = best.get(name) ?? { paint: Infinity, interaction: Infinity, shift: Infinity }
      best.set(name, {
        paint: Math.min(known.paint, paint),
        interaction: Math.min(known.interaction, interaction),
        shift: Math.min(known.shift, shift),
      })
    }
  bare.close()
  return [...best].map(([name, { paint, interaction, shift }]) => ({
    what: `${name}, slow 4G and CPU ${slower} x slower`,
    figure: `largest paint ${seconds(paint)}, first interaction ${seconds(interaction)}, shift ${shift.toFixed(3)}`,
    budget: name === 'bare React page' ? '' : 'largest paint within 2.5 s, shift 0',
    ok: name === 'bare React page' ? undefined : paint <= 2500 && shift < 0.001,
  }))
}

const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(2)} s`
