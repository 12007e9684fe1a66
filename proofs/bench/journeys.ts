import type { Locator, Page } from '@playwright/test'

type Act = (page: Page) => Promise<unknown>
/** The most common actions on a page, in this order. */
export type Journey = { path: string; acts: Record<string, Act>; prepare?: Act }

const product = '/products/rebound-sigma-pro'
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first()
const tab = (page: Page, name: string) => page.getByRole('tab', { name, exact: true })
const press: (key: string) => Act = (key) => (page) => page.keyboard.press(key)

async function type(field: Locator, text: string) {
  await field.focus()
  await field.pressSequentially(text)
}

/** What visitors do on the public pages. */
export const visitors: Journey[] = [
  {
    path: '/',
    acts: {
      'change the theme': (page) => button(page, /Switch to/).click(),
      'type in the newsletter form': (page) => type(page.getByLabel('Email address'), 'ada@example'),
      'follow a link': (page) => page.getByRole('link', { name: 'Explore Products' }).click(),
    },
  },
  {
    path: product,
    acts: {
      'open an FAQ answer': (page) => page.locator('summary').first().click(),
      'open another': (page) => page.locator('summary').nth(1).click(),
      'explore the chart': (page) => button(page, /Explore/).click(),
    },
  },
  {
    path: '/about',
    acts: {
      'type a message': (page) => type(page.getByLabel('Message'), 'Does it work in Zürich?'),
      'submit it incomplete': (page) => button(page, 'Send Message').click(),
    },
  },
  {
    path: '/legal/terms',
    acts: { 'jump to a section': (page) => page.locator('main nav a').nth(5).click() },
  },
  {
    path: '/auth',
    acts: {
      'switch tabs': (page) => tab(page, 'Sign Up').click(),
      'type a password': (page) => type(page.getByLabel('Password', { exact: true }), 'a long password'),
    },
  },
  {
    path: `/checkout?product=rebound-sigma-pro`,
    acts: {
      'type an email': (page) => type(page.getByLabel('Email', { exact: true }).first(), 'ada@example.com'),
    },
  },
]

export const buyers: Journey[] = [
  {
    path: '/dashboard',
    acts: {
      'open the profile': (page) => button(page, /Profile/).click(),
      'type a name': (page) => type(page.getByLabel('Name', { exact: true }), ' of Zürich'),
      'close it': press('Escape'),
    },
  },
]

/** Rows on the admin's page before we measure anything: about a long morning's worth of scrolling. */
const rows = 3000

export const admins: Journey[] = [
  {
    path: '/admin',
    acts: {
      'choose Users': (page) => tab(page, 'Users').click(),
      'choose Purchases': (page) => tab(page, 'Purchases').click(),
      'choose Assets': (page) => tab(page, 'Assets').click(),
      'go to Access': (page) => page.getByRole('link', { name: 'Access', exact: true }).click(),
      'go to Activity': (page) => page.getByRole('link', { name: 'Activity', exact: true }).click(),
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
      'open the Add Purchase dialog': (page) => button(page, 'Add Purchase').click(),
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
      'change the sort order': (page) => page.getByLabel('Sort users').press('ArrowDown'),
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

/** Scrolls, page by page, until the list has loaded many rows. */
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

/** A button in a row that is currently on screen. */
async function inView(page: Page, name: RegExp) {
  const found = page.getByRole('button', { name, disabled: false })
  const index = await found.evaluateAll((buttons) =>
    buttons.findIndex((each) => each.getBoundingClientRect().top > innerHeight / 3),
  )
  return found.nth(Math.max(0, index))
}
