import type { Browser, BrowserContext, Page } from '@playwright/test'
import { type Line, line } from './compare.ts'
import { mainThread, openContext, type Session } from './page-load.ts'

/** One act: a click on the first of a selector, a text typed into it, or a key. */
type Act = { click: string } | { type: string; into: string } | { key: string }
/** The most common acts on a page, in this order. */
type Journey = { path: string; acts: Record<string, Act> }

const search = 'input[placeholder^="Search by"]'
const link = (name: string): Act => ({ click: `a:visible:has-text("${name}")` })
const rowMenu: Act = { click: 'role=button[name=/^Actions for/]' }

const visitors: Journey[] = [
  {
    path: '/',
    acts: {
      'change the theme': { click: 'role=button[name=/Switch to/]' },
      'type in the newsletter form': { type: 'ada@example', into: 'input[type=email]' },
      'follow a link': link('Explore Products'),
    },
  },
  {
    path: '/products/rebound-sigma-pro',
    acts: { 'open an FAQ answer': { click: 'summary' }, 'open another': { click: 'summary >> nth=1' } },
  },
  {
    path: '/about',
    acts: {
      'type a message': { type: 'Does it work in Zürich?', into: 'textarea' },
      'submit it incomplete': { click: 'role=button[name="Send Message"]' },
    },
  },
  { path: '/legal/terms', acts: { 'jump to a section': { click: 'main nav a >> nth=5' } } },
  {
    path: '/auth',
    acts: {
      'switch tabs': { click: 'role=tab[name="Sign Up"]' },
      'type a password': { type: 'a long password', into: 'input[type=password]' },
    },
  },
  {
    path: '/checkout?product=rebound-sigma-pro',
    acts: { 'type an email': { type: 'ada@example.com', into: 'main input[type=email]' } },
  },
]

const buyers: Journey[] = [
  {
    path: '/dashboard',
    acts: {
      'open the profile': { click: 'role=button[name=/Profile/]' },
      'type a name': { type: ' of Zürich', into: 'role=dialog >> input' },
      'close it': { key: 'Escape' },
    },
  },
]

const admins: Journey[] = [
  {
    path: '/admin/overview',
    acts: Object.fromEntries(
      ['Users', 'Purchases', 'Assets', 'Access', 'Activity'].map((area) => [`go to ${area}`, link(area)]),
    ),
  },
  {
    path: '/admin/purchases',
    acts: {
      'page down': { key: 'PageDown' },
      'page up': { key: 'PageUp' },
      'open a row’s menu': rowMenu,
      'ask to delete a purchase': { click: 'role=menuitem[name="Delete purchase"]' },
      'close the question': { key: 'Escape' },
      'open the Add Purchase dialog': { click: 'role=button[name="Add Purchase"]' },
      'close the dialog': { click: 'role=dialog >> role=button[name="Cancel"]' },
      'type a search': { type: 'ines', into: search },
    },
  },
  {
    path: '/admin/users',
    acts: {
      'open a row’s menu': rowMenu,
      'ask to delete a user': { click: 'role=menuitem[name="Delete user"]' },
      'close the question': { key: 'Escape' },
      'type a search': { type: 'nakamura', into: search },
    },
  },
  {
    path: '/admin/access',
    acts: {
      'tick a request': { click: 'role=checkbox[name=/^Select (?!everyone)/]' },
      'tick all': { click: 'role=checkbox[name="Select everyone loaded"]' },
    },
  },
]

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

function perform(page: Page, act: Act) {
  if ('key' in act) return page.keyboard.press(act.key)
  if ('click' in act) return page.locator(act.click).first().click()
  return page.locator(act.into).first().pressSequentially(act.type)
}

async function walk(context: BrowserContext, journeys: Journey[], slower: number): Promise<Measured[]> {
  const found: Measured[] = []
  for (const { path, acts } of journeys) {
    const page = await context.newPage()
    await page.addInitScript(observe)
    await page.goto(path, { waitUntil: 'networkidle' })
    const devtools = await context.newCDPSession(page)
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: slower })
    await devtools.send('Performance.enable', { timeDomain: 'threadTicks' })
    await takeDurations(page)
    for (const [name, act] of Object.entries(acts)) {
      const before = await mainThread(devtools)
      await perform(page, act)
      const durations = await takeDurations(page)
      const cpu = (await mainThread(devtools)) - before
      // Anything under 16 ms is not reported at all.
      found.push({ page: path, act: name, milliseconds: Math.max(8, ...durations), cpu })
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

/** Every page with its most common acts. The best round counts for each act: other work on the machine can only add. */
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
