import { confirmDialog, openAdmin } from './admin-helpers.ts'
import { expect, logInAs, testWithOwnShop } from './shop.ts'

const test = testWithOwnShop({
  SELLER_NAME: 'Sigma <Tools> GmbH',
  SELLER_STREET: 'Hauptgasse 1',
  SELLER_CITY: '4500 Solothurn',
  SELLER_COUNTRY: 'Switzerland',
  SELLER_PHONE: '+41 32 000 00 00',
  SELLER_REGISTER: 'CHE-123.456.789',
  SUPPORT_EMAIL: 'help@sigma.example',
  GA_MEASUREMENT_ID: 'G-TEST',
  REGION_LOOKUP_URL: 'https://region.example/json',
  ASK_EXCHANGE_KEYS: 'no',
})

test.describe.configure({ mode: 'default' })

test('the imprint shows the seller’s details from the settings', async ({ page }) => {
  await page.goto('/legal/imprint')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Imprint')
  const main = page.getByRole('main')
  for (const detail of [
    'Sigma <Tools> GmbH',
    'Hauptgasse 1',
    '4500 Solothurn',
    'Switzerland',
    '+41 32 000 00 00',
    'CHE-123.456.789',
    'help@sigma.example',
  ])
    await expect(main).toContainText(detail)
  await expect(main).not.toContainText('VAT number')
  await page.goto('/legal/terms')
  await expect(main).toContainText('Sigma <Tools> GmbH')
})

test('analytics loads only after consent, and never where the URL holds a secret', async ({ page }) => {
  const loadedScripts: string[] = []
  await page.route('https://www.googletagmanager.com/**', (route) => {
    loadedScripts.push(route.request().url())
    return route.fulfill({ contentType: 'text/javascript', body: '' })
  })
  await page.route('https://region.example/json', (route) => route.fulfill({ json: { country_code: 'DE' } }))
  await page.goto('/')

  const accept = page.getByRole('button', { name: 'Accept All' })
  await expect(accept).toBeVisible()
  expect(loadedScripts).toEqual([])

  await accept.click()
  await expect.poll(() => loadedScripts).toEqual(['https://www.googletagmanager.com/gtag/js?id=G-TEST'])

  await page.goto('/reset-password?token=secret', { waitUntil: 'networkidle' })
  expect(loadedScripts).toHaveLength(1)
})

test('a shop that asks for no exchange keys asks only for the username', async ({ page, shop }) => {
  const form = page.getByRole('form', { name: 'TradingView Access Request' })
  const expectNoKeys = async () => {
    await expect(form.getByLabel('TradingView Username')).toBeVisible()
    await expect(form.getByLabel(/Exchange|Key/)).toHaveCount(0)
  }

  const buyer = await shop.buyer()
  await logInAs(page, buyer, shop)
  await page.goto(`/checkout/success?payment_intent=${buyer.purchase.paymentIntentId}`)
  await expect(page.getByRole('heading', { name: 'Payment Successful!' })).toBeVisible()
  await expectNoKeys()

  await page.getByRole('button', { name: 'Skip for Now' }).click()
  await page.getByRole('region', { name: 'TradingView Access' }).getByRole('button', { name: 'Request Access' }).click()
  await expectNoKeys()

  await form.getByLabel('TradingView Username').fill('no_keys')
  await form.getByRole('button', { name: 'Submit Access Request' }).click()
  await expect(page.getByText('Access request submitted!', { exact: true })).toBeVisible()
})

test('a changed law appears in the terms and leads the seller to write to all customers', async ({ page, shop }) => {
  await openAdmin(page, shop, '/admin/settings')
  const form = page.getByRole('form', { name: 'Law and venue' })
  await form.getByLabel('Law that applies').fill('Austrian law')
  await form.getByLabel('Place of jurisdiction').fill('Vienna, Austria')
  await form.getByRole('button', { name: 'Save' }).click()
  await expect(confirmDialog(page)).toContainText('everyone who has bought keeps theirs')

  await confirmDialog(page).getByRole('button', { name: 'Write to all customers' }).click()
  await expect(page).toHaveURL(/\/admin\/messages\/service\?about=terms/)
  await expect(page.getByLabel('Reason')).toHaveValue('changed_terms')
  await expect
    .poll(async () => (await fetch(new URL('/legal/terms', shop.url))).text(), { timeout: 20_000 })
    .toContain('Vienna, Austria')
})
