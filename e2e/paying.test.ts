import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import { desc, isNotNull } from 'drizzle-orm'
import { codes } from '#contract/selling/codes.ts'
import { orders } from '#server/database/schema.ts'
import { chooseFromMenu, confirmDialog, openAdmin, rowOf } from './admin-helpers.ts'
import { expect, expectAccessible, expectAccessibleInBothThemes, overflowOf, test } from './shop.ts'
import { boxOf, cardFrame, fillCard, holdRequests, stubRegionLookup } from './visitors.ts'

const monthlyCheckout = '/checkout?product=rebound-sigma-pro&billing=monthly'
const payButton = (page: Page, amount: string) => page.getByRole('button', { name: `Pay ${amount}` })

const isClickable = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name }).evaluate((button) => {
    // The page has padding at its end, so the button can be scrolled above the cookie notice.
    button.scrollIntoView({ block: 'center' })
    const { left, top, width, height } = button.getBoundingClientRect()
    return button.contains(document.elementFromPoint(left + width / 2, top + height / 2))
  })

test('the checkout shows card, order and button without overlap on a phone and a desktop', async ({ page, shop }) => {
  const main = page.getByRole('main')
  const continueButton = page.getByRole('button', { name: 'Continue to Payment' })
  const productContent = main.getByText('Backtest-ready strategy version').filter({ visible: true })
  await page.setViewportSize({ width: 1280, height: 844 })
  await stubRegionLookup(page, { country_code: 'DE' })
  await page.goto(monthlyCheckout)
  await expect(page.getByRole('region', { name: 'Cookie Notice' })).toBeVisible()
  await expect(continueButton).toBeDisabled()

  const email = main.getByLabel('Email', { exact: true })
  await email.fill('ada')
  await continueButton.click()
  await expect(email).toHaveAccessibleDescription(/Please enter a valid email address/)
  await email.fill(`${randomUUID()}@example.com`)
  await expect(email).not.toHaveAccessibleDescription(/Please enter a valid email address/)

  // Wide screens show the summary beside the form; narrow screens show one line above and a closed summary below.
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 844 })
    const isNarrow = width < 1024
    await expect(main.getByRole('heading', { name: 'Order summary' })).toHaveCount(isNarrow ? 0 : 1)
    await expect(productContent).toHaveCount(isNarrow ? 0 : 1)
    expect(await isClickable(page, 'Continue to Payment')).toBe(true)
  }
  await main.locator('summary').click()
  await expect(productContent).toHaveCount(1)

  await continueButton.click()
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
  // The frame uses the page's colors, also with reduced motion.
  const cardNumber = cardFrame(page).contentFrame().getByLabel('Card number')
  const cardColors = await cardNumber.evaluate((input) => {
    const { color, backgroundColor } = getComputedStyle(input)
    return { color, backgroundColor }
  })
  expect(cardColors).toEqual({ color: 'rgb(20, 23, 29)', backgroundColor: 'rgb(253, 253, 250)' })
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 844 })
    const cardBox = await boxOf(cardFrame(page))
    const lastLineBox = await boxOf(lines.last())
    const buttonBox = await boxOf(payButton(page, '$39.00'))
    expect(buttonBox.y - lastLineBox.y - lastLineBox.height).toBeLessThan(50)
    expect(buttonBox.y - cardBox.y - cardBox.height).toBeLessThan(300)
    expect(await isClickable(page, /^Pay/)).toBe(true)
    expect(await overflowOf(page)).toBe(0)
  }
  await expectAccessible(page)

  await fillCard(page, '4000 0027 6000 3184')
  await main.getByRole('link', { name: 'Yearly' }).click()
  await expect(lines.nth(3)).toHaveText(
    'Renews every year at $390.00; from year two: one month’s notice, rest refunded',
  )
  await expect(cardNumber).toHaveValue('4000 0027 6000 3184')

  await payButton(page, '$390.00').click()
  await page.getByRole('button', { name: 'Fail authentication' }).click()
  const alert = page.getByRole('form', { name: 'Payment' }).getByRole('alert')
  await expect(alert).toContainText('You weren’t charged.')
  const isUncoveredBesideToast = () =>
    alert.evaluate((message) => {
      const { left, top, bottom } = message.getBoundingClientRect()
      const isUncovered = [top + 4, bottom - 4].every((y) => message.contains(document.elementFromPoint(left + 40, y)))
      return isUncovered && document.querySelector('.toasts [data-state=open]') !== null
    })
  await expect.poll(isUncoveredBesideToast).toBe(true)

  await payButton(page, '$390.00').click()
  await page.getByRole('button', { name: 'Complete authentication' }).click()
  await expect(page.getByRole('heading', { name: 'Payment Successful!' })).toBeVisible()

  const notice = page.getByRole('region', { name: 'Cookie Notice' })
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight))
  const lastLinkBox = await boxOf(page.getByRole('contentinfo').getByRole('link').last())
  const noticeBox = await boxOf(notice)
  expect(Math.round(noticeBox.y + noticeBox.height)).toBeGreaterThan(820)
  expect(lastLinkBox.y + lastLinkBox.height).toBeLessThanOrEqual(noticeBox.y)

  const [latestOrder] = await shop.connection.db
    .select()
    .from(orders)
    .where(isNotNull(orders.agreedAt))
    .orderBy(desc(orders.agreedAt))
    .limit(1)
  expect(latestOrder).toMatchObject({ amountDue: 39000 })
})

test('a discount code works by link and by typing, and the seller can stop it', async ({ page, shop }) => {
  await openAdmin(page, shop, '/admin/purchases/codes')
  const suffix = randomUUID().slice(0, 8).toUpperCase()
  const percentCode = `SPRING-${suffix}`
  const dollarCode = `FIVE-${suffix}`
  const form = page.getByRole('dialog', { name: 'New code' })
  const openForm = async (code: string) => {
    await page.getByRole('button', { name: 'New code' }).click()
    await form.getByRole('textbox', { name: 'Code' }).fill(code)
  }
  const submitForm = async () => {
    await form.getByRole('button', { name: 'Add code' }).click()
    await expect(form).toBeHidden()
  }

  await openForm(percentCode)
  await form.getByLabel('Percent off').fill('20')
  await submitForm()

  await openForm(dollarCode)
  await form.getByLabel('Discount in').selectOption('dollars')
  await form.getByLabel('How long').selectOption('always')
  await form.getByLabel('Dollars off').fill('5.00')
  await submitForm()
  await expect(rowOf(page, percentCode)).toContainText('20% off the first payment')
  await expect(rowOf(page, dollarCode)).toContainText('$5.00 off, always')
  await expectAccessibleInBothThemes(page)

  await page.context().clearCookies()
  await page.goto(`/checkout?product=rebound-sigma-pro&billing=monthly&code=${percentCode}`)
  const discountText = /\$31\.20 today, then \$39\.00 every month from/
  await expect(page.getByRole('status').filter({ hasText: discountText })).toBeVisible()

  await page.getByLabel('Email', { exact: true }).first().fill(`code-${randomUUID()}@example.com`)
  await page.getByRole('button', { name: 'Continue to Payment' }).click()

  await expect(page.getByRole('button', { name: 'Pay $31.20' })).toBeVisible()
  await expect(page.getByRole('region', { name: 'Your order' })).toContainText(discountText)

  await page.getByRole('button', { name: 'Remove' }).click()
  await expect(page.getByRole('button', { name: 'Pay $39.00' })).toBeVisible()

  const codeGroup = page.getByRole('group', { name: 'Discount code' })
  await codeGroup.getByLabel('Discount code').fill('nobody-knows')
  await codeGroup.getByRole('button', { name: 'Apply' }).click()
  await expect(codeGroup).toContainText('We can’t apply this code.')

  await codeGroup.getByLabel('Discount code').fill(dollarCode.toLowerCase())
  await codeGroup.getByRole('button', { name: 'Apply' }).click()
  await expect(page.getByRole('button', { name: 'Pay $34.00' })).toBeEnabled()
  await expectAccessible(page)

  await fillCard(page, '4242 4242 4242 4242')
  await page.getByRole('button', { name: 'Pay $34.00' }).click()
  await expect(page.getByRole('heading', { name: 'Payment Successful!' })).toBeVisible()

  await page.goto('/dashboard')
  await expect(page.getByRole('region', { name: 'My Products' })).toContainText('next charge $34.00')

  await openAdmin(page, shop, '/admin/purchases/codes')
  await expect(rowOf(page, dollarCode)).toContainText('1')
  await chooseFromMenu(rowOf(page, dollarCode), 'Stop')
  await confirmDialog(page).getByRole('button', { name: 'Stop it' }).click()
  await expect(rowOf(page, dollarCode)).toContainText('stopped')
})

test('a code applied before the payment has loaded is charged', async ({ page, shop }) => {
  const code = `HASTE-${randomUUID().slice(0, 8).toUpperCase()}`
  await (await shop.admin()).call(codes.adminAdd, { code, amountOff: 500 })
  const email = `haste-${randomUUID()}@example.com`
  await page.goto(monthlyCheckout)
  await page.getByLabel('Email', { exact: true }).first().fill(email)
  await page.getByRole('button', { name: 'Have a code?' }).click()

  const codeGroup = page.getByRole('group', { name: 'Discount code' })
  const applyCode = async () => {
    await codeGroup.getByLabel('Discount code').fill(code)
    await codeGroup.getByRole('button', { name: 'Apply' }).click()
  }

  // "Continue to Payment" also applies a typed code, and an unknown code stops it.
  await codeGroup.getByLabel('Discount code').fill('nobody-knows')
  await page.getByRole('button', { name: 'Continue to Payment' }).click()
  await expect(codeGroup.getByLabel('Discount code')).toBeFocused()
  await expect(codeGroup).toContainText('We can’t apply this code.')

  // A buyer who leaves while the payment is prepared stays on the other page.
  const leave = await holdRequests(page, '**/api/create-subscription-intent')
  await codeGroup.getByLabel('Discount code').fill(code)
  await page.getByRole('button', { name: 'Continue to Payment' }).click()
  await expect(page.getByRole('status').filter({ hasText: code })).toBeVisible()
  await page.getByRole('contentinfo').getByRole('link', { name: 'Privacy' }).click()
  await expect(page).toHaveURL('/legal/privacy')
  const prepared = page.waitForResponse('**/api/create-subscription-intent')
  leave()
  await (await prepared).finished()
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 100)))
  await expect(page).toHaveURL('/legal/privacy')
  await page.unrouteAll()
  await page.goBack()

  await page.getByLabel('Email', { exact: true }).first().fill(email)
  await page.getByRole('button', { name: 'Have a code?' }).click()
  await codeGroup.getByLabel('Discount code').fill(code)
  await page.getByRole('button', { name: 'Continue to Payment' }).click()
  await expect(payButton(page, '$34.00')).toBeEnabled()
  await expect(page.getByRole('heading', { name: 'Payment', exact: true })).toBeFocused()
  await expect(page.getByRole('main')).toContainText(`${code}, $5.00 off, always−$5.00`)

  await page.goBack()
  await expect(page.getByLabel('Email', { exact: true }).first()).toHaveValue(email)
  await page.goForward()
  await expect(payButton(page, '$34.00')).toBeEnabled()

  const releaseResponse = await holdRequests(page, '**/api/create-subscription-intent')
  await page.getByRole('button', { name: 'Remove' }).click()
  await applyCode()
  await expect(page.getByRole('status').filter({ hasText: code })).toBeVisible()

  releaseResponse()
  await expect(payButton(page, '$34.00')).toBeEnabled()

  await fillCard(page, '4242 4242 4242 4242')
  await payButton(page, '$34.00').click()
  await expect(page.getByRole('heading', { name: 'Payment Successful!' })).toBeVisible()

  await page.goto('/dashboard')
  await expect(page.getByRole('region', { name: 'My Products' })).toContainText('next charge $34.00')
})
