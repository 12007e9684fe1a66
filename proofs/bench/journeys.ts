import type { Page } from '@playwright/test'

type Act = (page: Page) => Promise<unknown>
/** The most common actions on a page, in this order. */
export type Journey = { path: string; acts: Record<string, Act>; prepare?: Act }

/** Playwright's selectors, such as `role=button[name="Save"]`; the first one counts. */
const click =
  (selector: string): Act =>
  (page) =>
    page.locator(selector).first().click()
const press =
  (key: string, selector = 'body'): Act =>
  (page) =>
    selector === 'body' ? page.keyboard.press(key) : page.locator(selector).press(key)
const type =
  (label: string, text: string): Act =>
  async (page) => {
    const field = page.getByLabel(label, { exact: true }).first()
    await field.focus()
    await field.pressSequentially(text)
  }
const search = (text: string) => type('Search by email or name', text)
const tab = (name: string) => click(`role=tab[name="${name}"s]`)
const link = (name: string) => click(`role=link[name="${name}"s]`)

/** What visitors do on the public pages. */
export const visitors: Journey[] = [
  {
    path: '/',
    acts: {
      'change the theme': click('role=button[name=/Switch to/]'),
      'type in the newsletter form': type('Email address', 'ada@example'),
      'follow a link': link('Explore Products'),
    },
  },
  {
    path: '/products/rebound-sigma-pro',
    acts: {
      'open an FAQ answer': click('summary'),
      'open another': click('summary >> nth=1'),
      'explore the chart': click('role=button[name=/Explore/]'),
    },
  },
  {
    path: '/about',
    acts: {
      'type a message': type('Message', 'Does it work in Zürich?'),
      'submit it incomplete': click('role=button[name="Send Message"]'),
    },
  },
  { path: '/legal/terms', acts: { 'jump to a section': click('main nav a >> nth=5') } },
  {
    path: '/auth',
    acts: { 'switch tabs': tab('Sign Up'), 'type a password': type('Password', 'a long password') },
  },
  {
    path: '/checkout?product=rebound-sigma-pro',
    acts: { 'type an email': type('Email', 'ada@example.com') },
  },
]

export const buyers: Journey[] = [
  {
    path: '/dashboard',
    acts: {
      'open the profile': click('role=button[name=/Profile/]'),
      'type a name': type('Name', ' of Zürich'),
      'close it': press('Escape'),
    },
  },
]

export const admins: Journey[] = [
  {
    path: '/admin',
    acts: {
      'choose Users': tab('Users'),
      'choose Purchases': tab('Purchases'),
      'choose Assets': tab('Assets'),
      'go to Access': link('Access'),
      'go to Activity': link('Activity'),
    },
  },
  {
    path: '/admin/purchases',
    prepare: scrollThrough,
    acts: {
      'page down': press('PageDown'),
      'page up': press('PageUp'),
      'open a row’s menu': (page) => clickInView(page, /^Actions for/),
      'ask to delete a purchase': click('role=menuitem[name="Delete purchase"]'),
      'close the question': press('Escape'),
      'open the Add Purchase dialog': click('role=button[name="Add Purchase"]'),
      'close the dialog': click('role=dialog >> role=button[name="Cancel"]'),
      'type a search': search('ines'),
      'choose a status': press('ArrowDown', 'role=combobox[name="Status"]'),
    },
  },
  {
    path: '/admin/users',
    prepare: scrollThrough,
    acts: {
      'open a row’s menu': (page) => clickInView(page, /^Actions for/),
      'ask to delete a user': click('role=menuitem[name="Delete user"]'),
      'close the question': press('Escape'),
      'type a search': search('nakamura'),
      'change the sort order': press('ArrowDown', 'role=combobox[name="Sort users"]'),
    },
  },
  {
    path: '/admin/access',
    acts: {
      'tick a request': click('role=checkbox[name=/^Select (?!everyone)/]'),
      'tick all': click('role=checkbox[name="Select everyone loaded"]'),
    },
  },
]

/** Rows on the admin's page before we measure anything: about a long morning's worth of scrolling. */
const rows = 3000

async function scrollThrough(page: Page) {
  const count = page.locator('[role=tabpanel]:not([hidden]) output').first()
  const more = page.getByRole('button', { name: 'Load more' }).first()
  await count.waitFor()
  for (let last = -1; ; ) {
    const loaded = Number.parseInt((await count.textContent()) ?? '', 10)
    if (loaded >= rows || (loaded === last && !(await more.isVisible()))) break
    last = loaded
    await page.evaluate(() => scrollTo({ top: document.body.scrollHeight, behavior: 'instant' }))
    await page.waitForTimeout(50)
  }
  await page.evaluate(() => scrollBy({ top: -2000, behavior: 'instant' }))
}

/** A button in a row that is currently on screen. */
async function clickInView(page: Page, name: RegExp) {
  const found = page.getByRole('button', { name, disabled: false })
  const index = await found.evaluateAll((buttons) =>
    buttons.findIndex((each) => each.getBoundingClientRect().top > innerHeight / 3),
  )
  await found.nth(Math.max(0, index)).click()
}
