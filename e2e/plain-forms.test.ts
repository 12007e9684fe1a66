import { randomUUID } from 'node:crypto'
import { accounts } from '#contract/identity/accounts.ts'
import { factors } from '#contract/identity/factors.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { contact } from '#contract/site/contact.ts'
import { reviews } from '#server/database/schema.ts'
import { addApp } from '#server/testing/authenticator-app.ts'
import { reboundSigmaPro } from '#server/testing/book-purchase.ts'
import { expect, openShop, test } from './shop.ts'
import { waitUntilServed } from './visitors.ts'

/** Forms for visitors whose scripts load late or never. */
test.describe('without scripts', () => {
  test.use({ javaScriptEnabled: false })

  test('people sign up, log in, and read why not', async ({ page, shop }) => {
    const email = `plain-${randomUUID()}@example.com`
    const said = page.locator('#said')
    await page.goto('/auth')
    const signUp = page.getByRole('form', { name: 'Sign Up' })
    await signUp.getByLabel('Name').fill('<b>Ada</b>')
    await signUp.getByLabel('Email').fill(email)
    await signUp.getByLabel('Password', { exact: true }).fill('short')
    await signUp.getByRole('button', { name: 'Create Account' }).click()
    await expect(said).toHaveText('Password must be at least 8 characters long')
    await expect(signUp.getByLabel('Name')).toHaveValue('<b>Ada</b>')
    await expect(signUp.getByLabel('Email')).toHaveValue(email)
    await expect(signUp.getByLabel('Password', { exact: true })).toHaveValue('')
    await signUp.getByLabel('Name').fill('Ada')
    await signUp.getByLabel('Password', { exact: true }).fill('correct horse battery')
    await signUp.getByRole('button', { name: 'Create Account' }).click()
    await expect(page).toHaveURL('/dashboard')
    await expect(page.locator('.needs-script')).toContainText('This page needs JavaScript.')

    await page.context().clearCookies()
    await page.goto('/auth')
    const logIn = page.getByRole('form', { name: 'Login' })
    await logIn.getByLabel('Email').fill(email)
    await logIn.getByLabel('Password', { exact: true }).fill('wrong')
    await logIn.getByRole('button', { name: 'Log In', exact: true }).click()
    await expect(page.getByRole('alert')).toHaveText('Invalid email or password')
    await logIn.getByLabel('Password', { exact: true }).fill('correct horse battery')
    await logIn.getByRole('button', { name: 'Log In', exact: true }).click()
    await expect(page).toHaveURL('/dashboard')

    // Accounts with app codes are asked on a separate page.
    const owner = shop.visitor()
    await owner.call(accounts.login, { email, password: 'correct horse battery' })
    await shop.confirm({ ...owner, user: { email } })
    const app = await addApp(shop, owner)
    await page.context().clearCookies()
    await page.goto('/auth')
    await logIn.getByLabel('Email').fill(email)
    await logIn.getByLabel('Password', { exact: true }).fill('correct horse battery')
    await logIn.getByRole('button', { name: 'Log In', exact: true }).click()
    await expect(page).toHaveURL('/auth/code')
    const code = page.getByLabel('Code from your authenticator app')
    await code.fill('000000')
    await page.getByRole('button', { name: 'Continue' }).click()
    await expect(page.getByRole('alert')).toHaveText(/^Wrong code/)
    await code.fill(app.code())
    await page.getByRole('button', { name: 'Continue' }).click()
    await expect(page).toHaveURL('/dashboard')
    await owner.call(factors.removeAppCodes, {})

    await page.goto('/forgot-password')
    await page.getByLabel('Email', { exact: true }).fill(email)
    await page.getByRole('button', { name: 'Send Reset Link' }).click()
    await expect(said).toHaveText(/^If an account exists with this email/)
    const mail = (await shop.mails()).find(({ to, text }) => to === email && text.includes('/reset-password?'))
    const { pathname, search } = new URL(/https?:\S+token=\S+/.exec(mail?.text ?? '')?.[0] ?? '')
    await page.goto(pathname + search)
    const reset = async (confirmed: string) => {
      await page.getByLabel('New password', { exact: true }).fill('another horse battery')
      await page.getByLabel('Confirm password', { exact: true }).fill(confirmed)
      await page.getByRole('button', { name: 'Reset Password' }).click()
    }
    await reset('something else')
    await expect(said).toHaveText("Passwords don't match")
    await reset('another horse battery')
    await expect(said).toHaveText(/^Password reset successful/)
    const credentials = { email, password: 'another horse battery' }
    await shop.visitor().call(accounts.login, credentials)
  })

  test('people subscribe from any page and write to the seller', async ({ page, shop }) => {
    const email = `plain-${randomUUID()}@example.com`
    await page.goto('/legal/imprint')
    await page.getByLabel('Email address').fill(email)
    await page.getByRole('button', { name: 'Subscribe' }).click()
    await expect(page.locator('#said')).toHaveText('Subscribed! Check your inbox to confirm.')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Imprint')

    const asked = (await shop.mails()).find(({ to }) => to === email)
    await page.goto(/http\S+newsletter\/confirm\S+/.exec(asked?.text ?? '')?.[0] ?? '')
    await page.getByRole('button', { name: 'Confirm subscription' }).click()
    await expect(page.locator('#said')).toHaveText('You’re subscribed.')
    await page.goto(asked?.headers['list-unsubscribe']?.slice(1, -1) ?? '')
    const leave = page.getByRole('main').getByRole('button', { name: 'Unsubscribe' })
    await leave.click()
    await expect(page.locator('#said')).toHaveText('You have been unsubscribed.')
    await page.goto('/newsletter/unsubscribe?id=1&token=2')
    await leave.click()
    await expect(page.getByRole('alert')).toHaveText('This link is not valid')

    await page.goto('/about')
    const form = page.getByRole('form', { name: 'Contact' })
    const message = '\nHello "you"\n</textarea><b>there</b>'
    await form.getByLabel('First name').fill('Ada')
    await form.getByLabel('Last name').fill('Trader')
    await form.getByLabel('Email').fill(email)
    await form.getByLabel('Message').fill(message)
    const answer = async (typed: string) => {
      await form.getByLabel('What is 5 + 3?').fill(typed)
      await form.getByRole('button', { name: 'Send Message' }).click()
    }
    await answer('9')
    await expect(page.getByRole('alert')).toHaveText('Please answer the security question correctly.')
    await expect(form.getByLabel('Message')).toHaveValue(message)
    // The form far down the page is in view again, with its message.
    await expect(page.getByRole('heading', { name: 'Contact', exact: true }).or(form).first()).toBeInViewport()
    await expect(page.getByRole('alert')).toBeInViewport()
    await answer('8')
    await expect(page.locator('#said')).toHaveText('Message sent successfully!')
    expect((await shop.mails()).filter(({ text }) => text.includes(email))).toHaveLength(1)
  })

  test('people cancel a contract, by the emailed link if they like', async ({ page, shop }) => {
    const buyer = await shop.buyer()
    const { email } = buyer.user
    await page.goto('/cancel')
    await page.getByLabel('Cancellation for good cause').check()
    await page.getByLabel('The good cause').fill('It does not work')
    await page.getByLabel('Your name').fill('Ada')
    const now = page.getByRole('button', { name: 'Cancel now' })
    await now.click()
    await expect(page.getByRole('alert')).toHaveText(/^Please enter your contract number/)
    await expect(page.getByLabel('The good cause')).toHaveValue('It does not work')
    await page.getByLabel('Ordinary cancellation').check()
    await expect(page.getByLabel('The good cause')).toBeHidden()
    await page.getByLabel(/^Contract number/).fill(email)
    await page.getByLabel('Email for the receipt').fill(email)
    await now.click()
    await expect(page.locator('#said')).toHaveText(
      /^One click left\. We’ve emailed .* Received: \w+ \d+, \d{4}, \d+:\d\d:\d\d [AP]M UTC\.$/,
    )
    const receipt = (await shop.mails()).findLast(({ to }) => to === email)
    await page.goto(/http\S+declarations\/confirm\S+/.exec(receipt?.text ?? '')?.[0] ?? '')
    await page.getByRole('button', { name: 'Confirm' }).click()
    await expect(page.locator('#said')).toHaveText(/^Done\./)
    expect(await buyer.call(purchases.list, {})).toMatchObject([{ status: 'pending_cancel' }])
  })

  test('people read the product page, at the checkout what is missing, and reviews soon after they were written', async ({
    page,
    shop,
  }) => {
    await page.goto('/products/rebound-sigma-pro')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Rebound Sigma Pro')
    await page.locator('summary').first().click()
    await expect(page.locator('details').first()).toHaveAttribute('open')

    await page.goto('/checkout?product=rebound-sigma-pro&billing=monthly')
    await expect(page.getByRole('heading', { level: 1, name: 'Checkout' })).toBeVisible()
    const missing = page.locator('.needs-script p').first()
    await expect(missing).toContainText('This page needs JavaScript.')
    await expect(missing).toContainText('Card payments can’t be made safely without it.')
    const [above, there, below] = await Promise.all(
      [page.getByRole('banner'), missing, page.getByRole('contentinfo')].map((part) => part.boundingBox()),
    )
    if (!above || !there || !below) throw new Error('All three are shown')
    expect(there.y).toBeGreaterThan(above.y + above.height)
    expect(there.y + there.height).toBeLessThan(below.y)

    const { user } = await shop.user()
    const said = { stars: 4, text: 'Quiet, </script> then <b>clear</b>.', author: 'Grace', writtenAt: new Date() }
    const { id: productId } = reboundSigmaPro
    await shop.connection.db.insert(reviews).values({ userId: user.id, productId, ...said })
    const shown = page.getByRole('main').getByRole('listitem').filter({ hasText: said.text })
    await waitUntilServed(shop, '/reviews', 'then &lt;b&gt;clear')
    await page.goto('/reviews')
    await expect(shown).toContainText('Grace')
    await expect(shown.getByRole('img', { name: '4 of 5 stars' })).toBeVisible()
    await expect(shown.getByRole('button')).toHaveCount(0)
  })
})

test('a form sent too often comes back with what was typed', async () => {
  await using strict = await openShop({ rateLimits: true })
  const send = () =>
    strict
      .visitor()
      .fetch(contact.send.path, {
        method: 'POST',
        headers: { origin: strict.url },
        body: new URLSearchParams({ firstName: 'Ada', message: 'Hello "you"' }),
      })
  for (let count = 0; count < 5; count++) expect((await send()).status).toBe(400)
  const refused = await send()
  expect(refused.status).toBe(429)
  const html = await refused.text()
  expect(html).toContain('<div id="said" role="alert">Too many attempts.')
  expect(html).toContain('value="Ada"')
  expect(html).toMatch(/<textarea[^>]*>\s*Hello ("|&quot;)you("|&quot;)<\/textarea>/)
})

test('a form sent before the script was there leads to a page that works once it is', async ({ page }) => {
  await page.route('**/assets/**.js', (route) => route.abort(), { times: 30 })
  await page.goto('/auth')
  await page.getByLabel('Email', { exact: true }).fill('nobody@example.com')
  await page.getByLabel('Password', { exact: true }).fill('a <b>bold</b> guess')
  await page.unroute('**/assets/**.js')
  await page.getByRole('button', { name: 'Log In', exact: true }).click()
  await expect(page.getByRole('alert')).toHaveText('Invalid email or password')
  await expect(page).toHaveURL('/auth')
  await expect(page.getByLabel('Email', { exact: true })).toHaveValue('nobody@example.com')
  await page.getByRole('tab', { name: 'Sign Up' }).click()
  await expect(page.getByLabel('Name', { exact: true })).toBeVisible()
})
