import type { Browser, Page } from '@playwright/test'
import { openContext, type Session } from './page-load.ts'

const pressed = 'key='
const search = 'input[placeholder^="Search by"]'
const rowMenu = 'role=button[name=/^Actions for/]'
const link = (name: string) => `a:visible:has-text("${name}")`

/** The most common acts on each page, in this order: a click on the first that matches, a text typed into it, or a key. */
const acts: [path: string, act: string, where: string, text?: string][] = [
  ['/', 'change the theme', 'role=button[name=/Switch to/]'],
  ['/', 'type in the newsletter form', 'input[type=email]', 'ada@example'],
  ['/', 'follow a link', link('Explore Products')],
  ['/products/rebound-sigma-pro', 'open an FAQ answer', 'summary'],
  ['/products/rebound-sigma-pro', 'open another', 'summary >> nth=1'],
  ['/about', 'type a message', 'textarea', 'Does it work in Zürich?'],
  ['/about', 'submit it incomplete', 'role=button[name="Send Message"]'],
  ['/legal/terms', 'jump to a section', 'main nav a >> nth=5'],
  ['/auth', 'switch tabs', 'role=tab[name="Sign Up"]'],
  ['/auth', 'type a password', 'input[type=password]', 'a long password'],
  ['/checkout?product=rebound-sigma-pro', 'type an email', 'main input[type=email]', 'ada@example.com'],
  ['/dashboard', 'open the profile', 'role=button[name=/Profile/]'],
  ['/dashboard', 'type a name', 'role=dialog >> input', ' of Zürich'],
  ['/dashboard', 'close it', `${pressed}Escape`],
  ['/admin/overview', 'go to Users', link('Users')],
  ['/admin/overview', 'go to Purchases', link('Purchases')],
  ['/admin/overview', 'go to Assets', link('Assets')],
  ['/admin/overview', 'go to Access', link('Access')],
  ['/admin/overview', 'go to Activity', link('Activity')],
  ['/admin/purchases', 'page down', `${pressed}PageDown`],
  ['/admin/purchases', 'open a row’s menu', rowMenu],
  ['/admin/purchases', 'ask to delete a purchase', 'role=menuitem[name="Delete purchase"]'],
  ['/admin/purchases', 'close the question', `${pressed}Escape`],
  ['/admin/purchases', 'open the Add Purchase dialog', 'role=button[name="Add Purchase"]'],
  ['/admin/purchases', 'close the dialog', 'role=dialog >> role=button[name="Cancel"]'],
  ['/admin/purchases', 'type a search', search, 'ines'],
  ['/admin/users', 'open a row’s menu', rowMenu],
  ['/admin/users', 'ask to delete a user', 'role=menuitem[name="Delete user"]'],
  ['/admin/users', 'close the question', `${pressed}Escape`],
  ['/admin/users', 'type a search', search, 'nakamura'],
  ['/admin/access', 'tick a request', 'role=checkbox[name=/^Select (?!everyone)/]'],
  ['/admin/access', 'tick all', 'role=checkbox[name="Select everyone loaded"]'],
]

/** Collects the events behind Interaction to Next Paint, each timed from the input to the next frame. */
const observe = () => {
  const durations: number[] = []
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries())
      if ((entry as PerformanceEntry & { interactionId: number }).interactionId > 0) durations.push(entry.duration)
  }).observe({ type: 'event', durationThreshold: 16, buffered: true } as PerformanceObserverInit)
  Object.assign(window, { takeDurations: () => durations.splice(0) })
}

/** The events of an act are reported a few frames later; anything under 16 ms is not reported at all. */
async function slowestSoFar(page: Page): Promise<number> {
  await page.waitForTimeout(400)
  const durations = await page.evaluate(() => (window as unknown as { takeDurations: () => number[] }).takeDurations())
  return Math.max(8, ...durations)
}

function perform(page: Page, where: string, text: string | undefined) {
  if (where.startsWith(pressed)) return page.keyboard.press(where.slice(pressed.length))
  const found = page.locator(where).first()
  return text ? found.pressSequentially(text) : found.click()
}

/** Milliseconds from the input to the next frame, the slowest act first. The best of three rounds counts: noise can only add. */
export async function interactions(browser: Browser, url: string, sessionFor: (path: string) => Session) {
  const best = new Map<string, number>()
  for (let round = 0; round < 3; round++)
    for (const [path, journey] of Map.groupBy(acts, ([each]) => each)) {
      const context = await openContext(browser, url, sessionFor(path), {})
      const page = await context.newPage()
      await page.addInitScript(observe)
      await page.goto(path, { waitUntil: 'networkidle' })
      await slowestSoFar(page)
      for (const [, act, where, text] of journey) {
        await perform(page, where, text)
        const name = `${path}: ${act}`
        best.set(name, Math.min(best.get(name) ?? Infinity, await slowestSoFar(page)))
      }
      await context.close()
    }
  return [...best].toSorted(([, a], [, b]) => b - a)
}
