import { randomUUID } from 'node:crypto'
import { accessRequests } from '#contract/access/access-requests.ts'
import { tradingViewAdmin } from '#contract/access/tradingview-admin.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { type ConnectedShop, openConnectedShop } from '#server/testing/connected-shop.ts'
import { test as base, expect, expectAccessible, logInAs } from './shop.ts'

/** Connected to the look-alike, as a newcomer's shop is. */
const test = base.extend<object, { shop: ConnectedShop }>({
  shop: [
    async ({}, use) => {
      const shop = await openConnectedShop({ withPages: true, quirks: {} })
      await use(shop)
      await shop.close()
    },
    { scope: 'worker' },
  ],
})

test('a guest gives a name, pays, and sees it unlock within ten seconds, without a reload', async ({
  page,
  shop,
}) => {
  await page.goto('/checkout?product=rebound-sigma-pro&billing=monthly')
  await page.getByLabel('Email', { exact: true }).first().fill(`e2e-${randomUUID()}@example.com`)
  const name = page.getByLabel('TradingView Username (optional)')
  await name.fill('ada_trads')
  await name.blur()
  await expect(page.getByText('TradingView does not know ada_trads')).toBeVisible()
  await page.getByRole('button', { name: 'ada_trades' }).click()
  await expect(page.getByText('Found on TradingView: ada_trades')).toBeVisible()
  await page.getByRole('button', { name: 'Continue to Payment' }).click()
  const frame = page.frameLocator('iframe[title="Secure payment input frame"]').first()
  await frame.locator('[name=number]').fill('4242 4242 4242 4242')
  await frame.locator('[name=expiry]').fill('12 / 34')
  await frame.locator('[name=cvc]').fill('123')
  await page.getByRole('button', { name: 'Pay $39.00' }).click()
  await expect(page.getByRole('heading', { name: 'Payment Successful!' })).toBeVisible()
  const inTime = Date.now() + 10_000
  await page.getByRole('button', { name: 'Skip for Now' }).click()
  const card = page.getByRole('region', { name: 'TradingView Access' })
  await expect(card.getByText(/Unlocked until .*It renews automatically\./)).toBeVisible({
    timeout: Math.max(1, inTime - Date.now()),
  })
  await expect(card).toContainText('Indicators → Invite-only scripts')
  await expectAccessible(page)
  expect(await shop.listed()).toContain('ada_trades')
})

test('another name is unlocked before the old one is locked; a refund locks it', async ({ page, shop }) => {
  const buyer = await shop.namedBuyer('first_of_two')
  await shop.settle()
  await logInAs(page, buyer, shop)
  await page.goto('/dashboard')
  const card = page.getByRole('region', { name: 'TradingView Access' })
  await card.getByRole('button', { name: 'Change Username' }).click()
  await page.getByRole('dialog').getByRole('textbox', { name: 'TradingView Username' }).fill('second_of_two')
  await page.getByRole('button', { name: 'Unlock this account' }).click()
  await expect(card.getByRole('heading', { name: 'second_of_two' })).toBeVisible()
  await expect(card.getByText(/Unlocked until/)).toBeVisible()
  await expect(card.getByText(/You can change the username again on/)).toBeVisible()
  await expect.poll(() => shop.listed()).not.toContain('first_of_two')
  const admin = await shop.admin()
  await admin.call(purchases.adminRefund, { id: buyer.purchase.id, refundedSoFar: 0 })
  await expect.poll(() => shop.listed()).not.toContain('second_of_two')
  await page.reload()
  await expect(page.getByRole('heading', { name: 'second_of_two' })).toHaveCount(0)
})

test('an ended session is red, and renewed, everything catches up', async ({ page, shop }) => {
  const { controls } = shop.lookAlike
  await controls.endSession()
  const buyer = await shop.namedBuyer('waits_for_seller')
  await shop.settle()
  await logInAs(page, await shop.admin(), shop)
  await page.goto('/admin#access')
  await expect(page.getByText('Your TradingView session has ended. Buyers have to wait')).toBeVisible()
  await expect(page.getByRole('region', { name: 'Open access requests' })).toContainText('waits_for_seller')
  await expectAccessible(page)
  await controls.logIn()
  await page.getByRole('button', { name: 'Renew session' }).click()
  await page.getByLabel('Session cookies').fill(await controls.cookies())
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await expect(page.getByText(/Connected as/)).toBeVisible()
  await shop.queue.runNow('tradingview-due')
  await expect.poll(async () => (await shop.accessOf(buyer)).state).toBe('unlocked')
  expect(await buyer.call(accessRequests.list, {})).toMatchObject([{ status: 'granted' }])
})

test('sold out, the shop takes an address instead of money; otherwise it may say how many seats are taken', async ({
  page,
  shop,
}) => {
  await shop.namedBuyer()
  await shop.settle()
  const admin = await shop.admin()
  const { people } = await admin.call(tradingViewAdmin.meter, {})
  const product = '/products/rebound-sigma-pro'
  await admin.call(tradingViewAdmin.settings, { seatLimit: people + 38, showsSeats: true })
  await expect(async () => {
    await page.goto(product)
    await expect(page.getByText(`${people} of ${people + 38} seats`)).toBeVisible({ timeout: 2000 })
  }).toPass()
  await expect(page.getByRole('link', { name: 'Buy Monthly' })).toBeVisible()

  await admin.call(tradingViewAdmin.settings, { seatLimit: people })
  await page.goto(`/checkout?product=rebound-sigma-pro&billing=monthly`)
  await page.getByLabel('Email', { exact: true }).first().fill(`e2e-${randomUUID()}@example.com`)
  await page.getByRole('button', { name: 'Continue to Payment' }).click()
  await expect(page.getByText('All seats are taken at the moment.')).toBeVisible()
  await page.getByRole('link', { name: 'Tell me when a seat is free' }).click()
  const form = page.getByRole('form', { name: 'Tell me when a seat is free' })
  await form.getByLabel('Email').fill('patient@example.com')
  await expectAccessible(page)
  await form.getByRole('button', { name: 'Tell me when a seat is free' }).click()
  await expect(page.getByText('We’ll email you when a seat is free.')).toBeVisible()
  await expect(page.getByRole('link', { name: 'Buy Monthly' })).toHaveCount(0)

  await admin.call(tradingViewAdmin.settings, { seatLimit: null })
  await shop.queue.runNow('invite-waiting')
  const mail = (await shop.mails()).find(({ to }) => to === 'patient@example.com')
  expect(mail?.subject).toBe('A seat for Rebound Sigma Pro is free')
})
