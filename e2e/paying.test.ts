import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import { desc, isNotNull } from 'drizzle-orm'
import { codes } from '#contract/selling/codes.ts'
import { orders } from '#server/database/schema.ts'
import { chooseFromMenu, confirmDialog, openAdmin, rowOf } from './admin-helpers.ts'
import { expect, expectAccessible, expectAccessibleInBothThemes, overflowOf, test } from './shop.ts'
import { holdRequests, stubRegionLookup } from './visitors.ts'

const monthly = '/checkout?product=rebound-sigma-pro&billing=monthly'
const frameOf = (page: Page) => page.locator('iframe[title="Secure payment input frame"]').first()
const payButton = (page: Page, amount: string) => page.getByRole('button', { name: `Pay ${amount}` })

async function fillCard(page: Page, number: string) {
  const frame = frameOf(page).contentFrame()
  await frame.locator('[name=number]').fill(number)
  await frame.locator('[name=expiry]').fill('12 / 34')
  await frame.locator('[name=cvc]').fill('123')
}

/** True if a click at the button reaches it, once it is scrolled into view. */
const isOnTop = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name }).evaluate((button) => {
    // The cookie notice stands at the bottom of the window; the page is padded, so the button can be scrolled above it.
    button.scrollIntoView({ block: 'center' })
    const { left, top, width, height } = button.getBoundingClientRect()
    return button.contains(document.elementFromPoint(left + width / 2, top + height / 2))
  })

test('paying is the card, five lines, and the button, at 1280 and 390 px; nothing covers it, nothing is lost unsaid', async ({
  page,
  shop,
}) => {
  const main = page.getByRole('main')
  const proceed = page.getByRole('button', { name: 'Continue to Payment' })
  const content = main.getByText('Backtest-ready strategy version').filter({ visible: true })
  await page.setViewportSize({ width: 1280, height: 844 })
  await stubRegionLookup(page, { country_code: 'DE' })
  await page.goto(monthly)
  await expect(page.getByRole('region', { name: 'Cookie Notice' })).toBeVisible()
  await expect(proceed).toBeDisabled()
  const email = main.getByLabel('Email', { exact: true })
  await email.fill('ada')
  await proceed.click()
  await expect(email).toHaveAccessibleDescription(/Please enter a valid email address/)
  await email.fill(`${randomUUID()}@example.com`)
  await expect(email).not.toHaveAccessibleDescription(/Please enter a valid email address/)

  // The summary stands beside the form on wide screens, above it in one line and below it as a fold on narrow ones.
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 844 })
    const isNarrow = width < 1024
    await expect(main.getByRole('heading', { name: 'Order summary' })).toHaveCount(isNarrow ? 0 : 1)
    await expect(content).toHaveCount(isNarrow ? 0 : 1)
    expect(await isOnTop(page, 'Continue to Payment')).toBe(true)
  }
  await main.locator('summary').click()
  await expect(content).toHaveCount(1)

  await proceed.click()
  await expect(payButton(page, '$39.00')).toBeEnabled()
  const lines = page.getByRole('region', { name: 'Your order' }).getByRole('listitem')
  await expect(lines).toHaveText([
    'Rebound Sigma Pro: indicator and strategy on TradingView, Rebound List',
    'Total price $39.00. No taxes or fees on top.',
    'Minimum term: one month, paid in advance',
    'Renews every month at $39.00 until you cancel',
    'Cancel any time before it renews: in your dashboard or under “Cancel contracts here”',
  ])
  await expect(main.getByRole('checkbox')).toHaveCount(0)
  await expect(main).toContainText(
    'Your access starts once we have your TradingView username. If you withdraw within 14 days, you get all your money back.',
  )
  // Its colors are the page's, also for someone who wants no motion.
  const typed = frameOf(page).contentFrame().getByLabel('Card number')
  const [text, ground] = await typed.evaluate((input) => {
    const { color, backgroundColor } = getComputedStyle(input)
    return [color, backgroundColor]
  })
  expect([text, ground]).toEqual(['rgb(20, 23, 29)', 'rgb(253, 253, 250)'])
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 844 })
    const [card, last, pay] = await Promise.all(
      [frameOf(page), lines.last(), payButton(page, '$39.00')].map((part) => part.boundingBox()),
    )
    if (!card || !last || !pay) throw new Error('All three are shown')
    expect(pay.y - last.y - last.height).toBeLessThan(50)
    expect(pay.y - card.y - card.height).toBeLessThan(300)
    expect(await isOnTop(page, /^Pay/)).toBe(true)
    expect(await overflowOf(page)).toBe(0)
  }
  await expectAccessible(page)

  await fillCard(page, '4000 0027 6000 3184')
  await main.getByRole('link', { name: 'Yearly' }).click()
  await expect(lines.nth(3)).toHaveText(
    'Renews every year at $390.00; from year two: one month’s notice, rest refunded',
  )
  await expect(typed).toHaveValue('4000 0027 6000 3184')
  await payButton(page, '$390.00').click()
  await page.getByRole('button', { name: 'Fail authentication' }).click()
  const refused = page.getByRole('form', { name: 'Payment' }).getByRole('alert')
  await expect(refused).toContainText('You weren’t charged.')
  // The toast is shorter and does not cover the message.
  const isSeen = () =>
    refused.evaluate((message) => {
      const { left, top, bottom } = message.getBoundingClientRect()
      return [top + 4, bottom - 4].every((y) => message.contains(document.elementFromPoint(left + 40, y)))
    })
  // The toast is still visible.
  await expect.poll(isSeen, { timeout: 4000 }).toBe(true)
  await payButton(page, '$390.00').click()
  await page.getByRole('button', { name: 'Complete authentication' }).click()
  await expect(page.getByRole('heading', { name: 'Payment Successful!' })).toBeVisible()
  const notice = page.getByRole('region', { name: 'Cookie Notice' })
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight))
  const [lastLink, above] = await Promise.all(
    [page.getByRole('contentinfo').getByRole('link').last(), notice].map((part) => part.boundingBox()),
  )
  if (!lastLink || !above) throw new Error('Both are shown')
  expect(Math.round(above.y + above.height)).toBeGreaterThan(820)
  expect(lastLink.y + lastLink.height).toBeLessThanOrEqual(above.y)
  const [kept] = await shop.connection.db
    .select()
    .from(orders)
    .where(isNotNull(orders.agreedAt))
    .orderBy(desc(orders.agreedAt))
    .limit(1)
  expect(kept).toMatchObject({ amountDue: 39000 })
})

test('a code is made in the admin area, filled in by its link, typed at the payment, and charged as it says', async ({
  page,
  shop,
}) => {
  await openAdmin(page, shop, '/admin/purchases/codes')
  const mark = randomUUID().slice(0, 8).toUpperCase()
  const [percent, dollars] = [`SPRING-${mark}`, `FIVE-${mark}`]
  const form = page.getByRole('dialog', { name: 'New code' })
  for (const { code, ...fields } of [
    { code: percent, 'Percent off': '20' },
    { code: dollars, 'Dollars off': '5.00' },
  ]) {
    await page.getByRole('button', { name: 'New code' }).click()
    await form.getByRole('textbox', { name: 'Code' }).fill(code)
    if ('Dollars off' in fields) await form.getByLabel('Discount in').selectOption('dollars')
    if ('Dollars off' in fields) await form.getByLabel('How long').selectOption('always')
    for (const [label, value] of Object.entries(fields)) await form.getByLabel(label).fill(value)
    await form.getByRole('button', { name: 'Add code' }).click()
    await expect(form).toBeHidden()
  }
  await expect(rowOf(page, percent)).toContainText('20% off the first payment')
  await expect(rowOf(page, dollars)).toContainText('$5.00 off, always')
  await expectAccessibleInBothThemes(page)

  await page.context().clearCookies()
  await page.goto(`/checkout?product=rebound-sigma-pro&billing=monthly&code=${percent}`)
  const once = /\$31\.20 today, then \$39\.00 every month from/
  await expect(page.getByRole('status').filter({ hasText: once })).toBeVisible()
  await page.getByLabel('Email', { exact: true }).first().fill(`code-${randomUUID()}@example.com`)
  await page.getByRole('button', { name: 'Continue to Payment' }).click()
  await expect(page.getByRole('button', { name: 'Pay $31.20' })).toBeVisible()
  await expect(page.getByRole('region', { name: 'Your order' })).toContainText(once)
  // Enters no code, an unknown code and another code at the payment step.
  await page.getByRole('button', { name: 'Remove' }).click()
  await expect(page.getByRole('button', { name: 'Pay $39.00' })).toBeVisible()
  const typed = page.getByRole('group', { name: 'Discount code' })
  await typed.getByLabel('Discount code').fill('nobody-knows')
  await typed.getByRole('button', { name: 'Apply' }).click()
  await expect(typed).toContainText('We can’t apply this code.')
  await typed.getByLabel('Discount code').fill(dollars.toLowerCase())
  await typed.getByRole('button', { name: 'Apply' }).click()
  await expect(page.getByRole('button', { name: 'Pay $34.00' })).toBeEnabled()
  await expectAccessible(page)
  await fillCard(page, '4242 4242 4242 4242')
  await page.getByRole('button', { name: 'Pay $34.00' }).click()
  await expect(page.getByRole('heading', { name: 'Payment Successful!' })).toBeVisible()
  await page.goto('/dashboard')
  await expect(page.getByRole('region', { name: 'My Products' })).toContainText('next charge $34.00')
  await openAdmin(page, shop, '/admin/purchases/codes')
  await expect(rowOf(page, dollars)).toContainText('1')
  await chooseFromMenu(rowOf(page, dollars), 'Stop')
  await confirmDialog(page).getByRole('button', { name: 'Stop it' }).click()
  await expect(rowOf(page, dollars)).toContainText('stopped')
})

test('a code applied while the checkout is still being opened is what is charged', async ({ page, shop }) => {
  const code = `HASTE-${randomUUID().slice(0, 8).toUpperCase()}`
  await (await shop.admin()).call(codes.adminAdd, { code, amountOff: 500 })
  const email = `haste-${randomUUID()}@example.com`
  await page.goto(monthly)
  await page.getByLabel('Email', { exact: true }).first().fill(email)
  await page.getByRole('button', { name: 'Have a code?' }).click()
  const typed = page.getByRole('group', { name: 'Discount code' })
  const apply = async () => {
    await typed.getByLabel('Discount code').fill(code)
    await typed.getByRole('button', { name: 'Apply' }).click()
  }
  // A typed code counts without "Apply"; an unknown one stops here.
  await typed.getByLabel('Discount code').fill('nobody-knows')
  await page.getByRole('button', { name: 'Continue to Payment' }).click()
  await expect(typed.getByLabel('Discount code')).toBeFocused()
  await expect(typed).toContainText('We can’t apply this code.')
  await typed.getByLabel('Discount code').fill(code)
  await page.getByRole('button', { name: 'Continue to Payment' }).click()
  await expect(payButton(page, '$34.00')).toBeEnabled()
  await expect(page.getByRole('heading', { name: 'Payment', exact: true })).toBeFocused()
  await expect(page.getByRole('main')).toContainText(`${code}, $5.00 off, always−$5.00`)
  await page.goBack()
  await expect(page.getByLabel('Email', { exact: true }).first()).toHaveValue(email)
  await page.goForward()
  await expect(payButton(page, '$34.00')).toBeEnabled()
  const letAnswerCome = await holdRequests(page, '**/api/create-subscription-intent')
  await page.getByRole('button', { name: 'Remove' }).click()
  await apply()
  await expect(page.getByRole('status').filter({ hasText: code })).toBeVisible()
  letAnswerCome()
  await expect(payButton(page, '$34.00')).toBeEnabled()
  await fillCard(page, '4242 4242 4242 4242')
  await payButton(page, '$34.00').click()
  await expect(page.getByRole('heading', { name: 'Payment Successful!' })).toBeVisible()
  await page.goto('/dashboard')
  await expect(page.getByRole('region', { name: 'My Products' })).toContainText('next charge $34.00')
})
