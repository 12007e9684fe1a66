import { declarations } from '#contract/selling/declarations.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { confirmDialog, expectAccessibleAndFitting, expectToast, openAdmin, rowOf } from './admin-helpers.ts'
import { expect, expectAccessible, logInAs, openShop, overflowOf, test } from './shop.ts'
import { chooseTheme, declineCookies, publicPaths } from './visitors.ts'

const phone = { width: 360, height: 740 }

test('a logged-out buyer withdraws by keyboard and confirms in the receipt to get a full refund', async ({
  page,
  shop,
}) => {
  const buyer = await shop.buyer()
  const { email } = buyer.user
  await page.setViewportSize(phone)
  await declineCookies(page, shop)
  await page.goto('/about')
  await page.getByRole('link', { name: 'Withdraw from contract here Vertrag widerrufen' }).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1, name: 'Withdraw from contract' })).toBeVisible()
  await expect(page.getByRole('textbox')).toHaveCount(4)
  await expectAccessible(page)

  await page.getByLabel('Your name').focus()
  await page.keyboard.type('Ada Trader')
  await page.keyboard.press('Tab')
  await page.keyboard.type(email)
  await page.keyboard.press('Tab')
  await page.keyboard.type('not an address')
  await page.keyboard.press('Enter')
  await expect(page.getByLabel('Email for the receipt')).toBeFocused()
  await expect(page.getByLabel('Email for the receipt')).toHaveAccessibleDescription(
    'Please enter a valid email address',
  )
  await page.getByLabel('Email for the receipt').fill(email)
  await page.getByRole('button', { name: 'Confirm withdrawal / Widerruf bestätigen' }).press('Enter')

  const resultHeading = page.getByRole('heading', { name: 'One click left' })
  await expect(resultHeading).toBeFocused()
  await expect(page.getByRole('main')).toContainText(/Received\s*\w+ \d+, \d{4}, \d+:\d\d:\d\d [AP]M UTC/)
  await expectAccessible(page)

  const receipt = (await shop.mails()).findLast(({ to }) => to === email)
  await page.goto(/http\S+declarations\/confirm\S+/.exec(receipt?.text ?? '')?.[0] ?? '')
  await page.getByRole('button', { name: 'Confirm' }).click()
  await expect(page.getByText('Done. You’ll get an email')).toBeVisible()
  expect(await buyer.call(purchases.list, {})).toMatchObject([{ status: 'cancelled', refundedAmount: 3900 }])
})

test('the page after a withdrawal does not reveal to others whether a contract exists', async ({ page, shop }) => {
  const owner = await shop.buyer()
  const stranger = await shop.user()
  const main = page.getByRole('main')
  const withdraw = async (contract: string, name = '') => {
    // Waits for hydration, before which the browser would post the form itself.
    await page.goto('/withdraw', { waitUntil: 'networkidle' })
    // The page fills in the name after the session has loaded.
    await expect(page.getByLabel('Your name')).toHaveValue(name)
    await page.getByLabel('Your name').fill('Ada Trader')
    await page.getByLabel(/^Contract number/).fill(contract)
    await page.getByLabel('Email for the receipt').fill('ada@example.com')
    await page.getByRole('button', { name: 'Confirm withdrawal' }).click()
    await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
    // Leaves out the part that repeats what the person has entered.
    return (await main.innerText()).split('Contract\n')[0]
  }

  const textForUnknown = await withdraw('adaa-typo@example.com')
  expect(await withdraw(owner.user.email)).toBe(textForUnknown)

  await logInAs(page, stranger, shop)
  expect(await withdraw(owner.user.email, stranger.user.name)).toBe(textForUnknown)
  for (const words of [
    'One click left',
    'We’ve emailed ada@example.com. Press “Confirm withdrawal” in that email to finish now.',
    'Bought with another address? The link is there.',
    'No click? A person checks it within 14 days. It counts from the time below either way.',
  ])
    await expect(main).toContainText(words)
  await expectAccessible(page)

  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 844 })
    expect(await overflowOf(page)).toBe(0)
  }

  await page.context().clearCookies()
  await logInAs(page, owner, shop)

  expect(await withdraw(owner.user.email, owner.user.name)).not.toBe(textForUnknown)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('We’ve received your withdrawal')
  await expect(main).toContainText(
    'It takes effect now, and your money goes back to your card. There’s nothing left to do.',
  )
})

test('a cancellation asks for a reason only with a good cause', async ({ page }) => {
  await page.setViewportSize(phone)
  await chooseTheme(page, 'dark')
  await page.goto('/cancel')
  await expect(page.getByLabel('The good cause')).toBeHidden()
  // In the dark theme, an unchosen option has the background of a field, not of a disabled option.
  const readStyle = (name: string) =>
    page.getByLabel(name).evaluate((element) => {
      const { appearance, backgroundColor } = getComputedStyle(element)
      return { appearance, backgroundColor }
    })
  const fieldStyle = await readStyle('Your name')
  expect(await readStyle('Cancellation for good cause')).toEqual({ ...fieldStyle, appearance: 'none' })
  expect((await readStyle('Ordinary cancellation')).backgroundColor).not.toBe(fieldStyle.backgroundColor)

  await page.getByLabel('Cancellation for good cause').check()
  await page.getByLabel('The good cause').fill('It does not work')
  await page.getByLabel('Your name').fill('Ada')
  await page.getByLabel(/^Contract number/).fill('RS-00000000')
  await page.getByLabel('Email for the receipt').fill('ada@example.com')
  await expectAccessible(page)

  await page.getByRole('button', { name: 'Cancel now / jetzt kündigen' }).click()
  await expect(page.getByRole('heading', { name: 'We’ve received your cancellation' })).toBeFocused()
  await expect(page.getByRole('main')).toContainText('It does not work')
})

test('the seller ends a contract after a cancellation for good cause', async ({ page, shop }) => {
  const buyer = await shop.buyer()
  await shop
    .visitor()
    .call(declarations.cancel, {
      name: 'Ada Trader',
      contract: buyer.user.email,
      email: 'ada@example.com',
      grounds: 'good_cause',
      reason: 'It does not work',
    })
  await shop.settle()

  await openAdmin(page, shop, '/admin/purchases/declarations')
  const row = rowOf(page, buyer.user.email)
  await expect(row).toContainText(/Ada Trader cancels RS-\w{8}, bought .*, for good cause\./)
  await expectAccessibleAndFitting(page)

  await row.getByRole('button', { name: 'End without notice for Ada Trader' }).click()
  await confirmDialog(page).getByRole('button', { name: 'End without notice' }).click()
  await expectToast(page, 'Done')
  await expect(row).toBeHidden()

  await page.getByRole('button', { name: 'Done', pressed: false }).click()
  await expect(row).toContainText('Ended right away')
  await row.getByRole('link', { name: /^RS-/ }).click()
  await expect(page.getByRole('heading', { level: 1, name: buyer.user.name || buyer.user.email })).toBeVisible()
})

for (const law of ['eu', 'none'] as const)
  test(`with CONSUMER_LAW=${law}, pages and emails agree about withdrawal, and every internal link works`, async ({
    shop,
  }) => {
    test.slow()
    await using shopWithoutLaw = law === 'none' ? await openShop({ env: { CONSUMER_LAW: law } }) : null
    const testedShop = shopWithoutLaw ?? shop
    const readPage = async (path: string) => (await fetch(new URL(path, testedShop.url))).text()
    const pages = await Promise.all(publicPaths.map(async (path) => ({ path, html: await readPage(path) })))

    // The last list contains the sample emails; the list before it contains the sent ones.
    const samples = (await readPage('/dev/mails')).split('<ul').at(-1) ?? ''
    const names = [...samples.matchAll(/\?mail=([^"&]+)/g)].map(([, name = '']) => name)
    expect(names.length).toBeGreaterThan(60)
    const mails = await Promise.all(
      [...new Set(names)].map(async (path) => ({ path, html: await readPage(`/dev/mails/raw?mail=${path}`) })),
    )

    // Matches only phrases about contracts, because "withdraw" is also used for consent and exchange keys.
    const withdrawalPhrases =
      /withdraw from|right of withdrawal|withdrawals? and|to withdraw,|can withdraw|withdraw within/i
    const documents = [...pages, ...mails]
    const pathsAboutWithdrawal = documents.filter(({ html }) => withdrawalPhrases.test(html)).map(({ path }) => path)
    // Emails about declarations exist only under EU consumer law.
    if (law === 'none') expect(pathsAboutWithdrawal.filter((path) => !/^declar|^withdr/.test(path))).toEqual([])
    else
      expect(pathsAboutWithdrawal).toEqual(
        expect.arrayContaining(['/help', '/legal/terms', '/products/rebound-sigma-pro']),
      )

    // Requests each path once, because links differ only in their tokens.
    const linkByPath = new Map<string, URL>()
    for (const { html } of documents)
      for (const [, href = ''] of html.matchAll(/href="([^"]+)"/g)) {
        const link = new URL(href.replaceAll('&amp;', '&'), testedShop.url)
        if (link.origin === testedShop.url) linkByPath.set(link.pathname, link)
      }
    expect(linkByPath.size).toBeGreaterThan(15)
    for (const [pathname, link] of linkByPath) {
      const { status } = await fetch(link, { redirect: 'manual' })
      // Sample tokens are invalid, so their pages may refuse them with another status.
      expect([pathname, status === 404 || status >= 500]).toEqual([pathname, false])
    }

    for (const path of ['/withdraw', '/cancel'])
      expect((await fetch(new URL(path, testedShop.url))).status).toBe(law === 'eu' ? 200 : 404)

    expect((await fetch(new URL('/admin/nothing', testedShop.url))).status).toBe(404)
    expect((await fetch(new URL('/admin/customers/1', testedShop.url))).status).toBe(200)
  })
