import type { Browser, BrowserContext, CDPSession, Locator, Page } from '@playwright/test'
import type { Line } from './table.ts'

type Act = (page: Page) => Promise<unknown>
type Journey = { path: string; acts: Record<string, Act>; prepare?: Act }
/** From the input to the frame that answers it, and the work of the main thread for the whole act. */
type Measured = { page: string; act: string; milliseconds: number; cpu: number }

const product = '/products/rebound-sigma-pro'
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first()
const tab = (page: Page, name: string) => page.getByRole('tab', { name, exact: true })
const press: (key: string) => Act = (key) => (page) => page.keyboard.press(key)

async function type(field: Locator, text: string) {
  await field.focus()
  await field.pressSequentially(text)
}

/** What visitors do on the public pages. */
const visitors: Journey[] = [
  {
    path: '/',
    acts: {
      'change the theme': (page) => button(page, /Switch to/).click(),
      'type into the newsletter': (page) => type(page.getByLabel('Email address'), 'ada@example'),
      'follow a link': (page) => page.getByRole('link', { name: 'Explore Products' }).click(),
    },
  },
  {
    path: product,
    acts: {
      'open an answer': (page) => page.locator('summary').first().click(),
      'open another': (page) => page.locator('summary').nth(1).click(),
      'explore the chart': (page) => button(page, /Explore/).click(),
    },
  },
  {
    path: '/about',
    acts: {
      'type a message': (page) => type(page.getByLabel('Message'), 'Does it work in Zürich?'),
      'send it incomplete': (page) => button(page, 'Send Message').click(),
    },
  },
  {
    path: '/legal/terms',
    acts: { 'go to a part': (page) => page.locator('main nav a').nth(5).click() },
  },
  {
    path: '/auth',
    acts: {
      'choose the other tab': (page) => tab(page, 'Sign Up').click(),
      'type a password': (page) => type(page.getByLabel('Password', { exact: true }), 'a long password'),
    },
  },
  {
    path: `/checkout?product=rebound-sigma-pro`,
    acts: {
      'type an e-mail': (page) => type(page.getByLabel('Email', { exact: true }).first(), 'ada@example.com'),
    },
  },
]

const buyers: Journey[] = [
  {
    path: '/dashboard',
    acts: {
      'open the profile': (page) => button(page, /Profile/).click(),
      'type a name': (page) => type(page.getByLabel('Name', { exact: true }), ' of Zürich'),
      'close it': press('Escape'),
    },
  },
]

/** Rows on the admin's page before anything is measured: as many as fit into a long morning. */
const rows = 3000

const admins: Journey[] = [
  {
    path: '/admin',
    acts: {
      'choose Users': (page) => tab(page, 'Users').click(),
      'choose Purchases': (page) => tab(page, 'Purchases').click(),
      'choose Access': (page) => tab(page, 'Access').click(),
      'choose Activity': (page) => tab(page, 'Activity').click(),
      'choose Assets': (page) => tab(page, 'Assets').click(),
    },
  },
  {
    path: '/admin#purchases',
    prepare: scrollThrough,
    acts: {
      'page down': press('PageDown'),
      'page up': press('PageUp'),
      'ask to delete a purchase': (page) => inView(page, /^Delete purchase/).then((found) => found.click()),
      'close the question': press('Escape'),
      'open the dialog to add one': (page) => button(page, 'Add Purchase').click(),
      'close the dialog': (page) => page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click(),
      'type a search': (page) => type(page.getByPlaceholder('Search by email or name...'), 'ines'),
      'choose a status': (page) => page.getByLabel('Status').press('ArrowDown'),
    },
  },
  {
    path: '/admin#users',
    prepare: scrollThrough,
    acts: {
      'ask to delete a user': (page) => inView(page, /^Delete user/).then((found) => found.click()),
      'close the question': press('Escape'),
      'type a search': (page) => type(page.getByPlaceholder('Search by email or name...'), 'nakamura'),
      'choose another order': (page) => page.getByLabel('Sort users').press('ArrowDown'),
    },
  },
  {
    path: '/admin#access',
    acts: {
      'tick a request': (page) =>
        page
          .getByLabel(/^Choose (?!all)/)
          .first()
          .click(),
      'tick all': (page) => page.getByLabel('Choose all loaded requests').click(),
    },
  },
]

/** Scrolls until the list holds many rows, as the pages come. */
async function scrollThrough(page: Page) {
  const count = page.locator('[role=tabpanel]:not([hidden]) output')
  await count.first().waitFor()
  for (let last = -1; ; ) {
    const loaded = Number.parseInt((await count.first().textContent()) ?? '', 10)
    if (loaded >= rows || (loaded === last && !(await button(page, 'Load more').isVisible()))) break
    last = loaded
    await page.evaluate(() => scrollTo({ top: document.body.scrollHeight, behavior: 'instant' }))
    await page.waitForTimeout(50)
  }
  await page.evaluate(() => scrollBy({ top: -2000, behavior: 'instant' }))
}

/** A button of a row that is on the screen, where the visitor has scrolled to. */
async function inView(page: Page, name: RegExp) {
  const found = page.getByRole('button', { name, disabled: false })
  const index = await found.evaluateAll((buttons) =>
    buttons.findIndex((each) => each.getBoundingClientRect().top > innerHeight / 3),
  )
  return found.nth(Math.max(0, index))
}

/** Collects what Interaction to Next Paint is made of: each event from the input to the frame that answers it. */
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
      // What took less than 16 ms is not reported at all.
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

/** The events of an act are reported some frames after it. */
async function takeDurations(page: Page): Promise<number[]> {
  await page.waitForTimeout(400)
  return page.evaluate(() => (window as unknown as { takeDurations: () => number[] }).takeDurations())
}

/**
 * Every page with what is done on it most. Each act counts as in the best of the rounds, because whatever else the
 * machine does can only add to it.
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
      figure: `${slowest?.milliseconds} ms at worst of ${all.length} (${slowest?.page}: ${slowest?.act})`,
      budget: slower === 1 ? 'under 50 ms' : '',
      ok: slower === 1 ? (slowest?.milliseconds ?? 0) < 50 : undefined,
    },
  }
}

type Session = ReadonlyMap<string, string>
