import { randomUUID } from 'node:crypto'
import { accounts } from '#contract/identity/accounts.ts'
import { factors } from '#contract/identity/factors.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { contact } from '#contract/site/contact.ts'
import { reviews } from '#server/database/schema.ts'
import { addApp } from '#server/testing/authenticator-app.ts'
import { reboundSigmaPro } from '#server/testing/book-purchase.ts'
import { expect, openShop, test } from './shop.ts'
import { boxOf, waitUntilServed } from './visitors.ts'

/** Forms that work before the page's scripts have loaded, or without them. */
test.describe('without scripts', () => {
  test.use({ javaScriptEnabled: false })

  test('a visitor signs up, logs in with an app code, and resets the password', async ({ page, shop }) => {
    const email = `plain-${randomUUID()}@example.com`
    const message = page.locator('#said')
    await page.goto('/auth')

    const signUp = page.getByRole('form', { name: 'Sign Up' })
    await signUp.getByLabel('Name').fill('<b>Ada</b>')
    await signUp.getByLabel('Email').fill(email)
    await signUp.getByLabel('Password', { exact: true }).fill('short')
    await signUp.getByRole('button', { name: 'Create Account' }).click()
    await expect(message).toHaveText('Password must be at least 8 characters long')
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

    // Accounts with an authenticator app enter its code on a separate page.
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
    await expect(message).toHaveText(/^If an account exists with this email/)

    const mail = (await shop.mails()).find(({ to, text }) => to === email && text.includes('/reset-password?'))
    const { pathname, search } = new URL(/https?:\S+token=\S+/.exec(mail?.text ?? '')?.[0] ?? '')
    await page.goto(pathname + search)
    const resetPassword = async (confirmation: string) => {
      await page.getByLabel('New password', { exact: true }).fill('another horse battery')
      await page.getByLabel('Confirm password', { exact: true }).fill(confirmation)
      await page.getByRole('button', { name: 'Reset Password' }).click()
    }

    await resetPassword('something else')
    await expect(message).toHaveText("Passwords don't match")
    await resetPassword('another horse battery')
    await expect(message).toHaveText(/^Password reset successful/)
    const credentials = { email, password: 'another horse battery' }
    await shop.visitor().call(accounts.login, credentials)
  })

  test('a visitor subscribes to the newsletter and writes to the seller', async ({ page, shop }) => {
    const email = `plain-${randomUUID()}@example.com`
    await page.goto('/legal/imprint')

    await page.getByLabel('Email address').fill(email)
    await page.getByRole('button', { name: 'Subscribe' }).click()
    await expect(page.locator('#said')).toHaveText('Subscribed! Check your inbox to confirm.')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Imprint')

    const mail = (await shop.mails()).find(({ to }) => to === email)
    await page.goto(/http\S+newsletter\/confirm\S+/.exec(mail?.text ?? '')?.[0] ?? '')
    await page.getByRole('button', { name: 'Confirm subscription' }).click()
    await expect(page.locator('#said')).toHaveText('You’re subscribed.')

    await page.goto(mail?.headers['list-unsubscribe']?.slice(1, -1) ?? '')
    const unsubscribeButton = page.getByRole('main').getByRole('button', { name: 'Unsubscribe' })
    await unsubscribeButton.click()
    await expect(page.locator('#said')).toHaveText('You have been unsubscribed.')

    await page.goto('/newsletter/unsubscribe?id=1&token=2')
    await unsubscribeButton.click()
    await expect(page.getByRole('alert')).toHaveText('This link is not valid')

    await page.goto('/about')
    const form = page.getByRole('form', { name: 'Contact' })
    const message = '\nHello "you"\n</textarea><b>there</b>'
    await form.getByLabel('First name').fill('Ada')
    await form.getByLabel('Last name').fill('Trader')
    await form.getByLabel('Email').fill(email)
    await form.getByLabel('Message').fill(message)
    const sendWithAnswer = async (answer: string) => {
      await form.getByLabel('What is 5 + 3?').fill(answer)
      await form.getByRole('button', { name: 'Send Message' }).click()
    }

    await sendWithAnswer('9')
    await expect(page.getByRole('alert')).toHaveText('Please answer the security question correctly.')
    await expect(form.getByLabel('Message')).toHaveValue(message)
    await expect(page.getByRole('heading', { name: 'Contact', exact: true }).or(form).first()).toBeInViewport()
    await expect(page.getByRole('alert')).toBeInViewport()

    await sendWithAnswer('8')
    await expect(page.locator('#said')).toHaveText('Message sent successfully!')
    expect((await shop.mails()).filter(({ text }) => text.includes(email))).toHaveLength(1)
  })

  test('a buyer cancels a contract through the emailed link', async ({ page, shop }) => {
    const buyer = await shop.buyer()
    const { email } = buyer.user
    await page.goto('/cancel')
    await page.getByLabel('Cancellation for good cause').check()
    await page.getByLabel('The good cause').fill('It does not work')
    await page.getByLabel('Your name').fill('Ada')

    const cancelButton = page.getByRole('button', { name: 'Cancel now' })
    await cancelButton.click()
    await expect(page.getByRole('alert')).toHaveText(/^Please enter your contract number/)
    await expect(page.getByLabel('The good cause')).toHaveValue('It does not work')

    await page.getByLabel('Ordinary cancellation').check()
    await expect(page.getByLabel('The good cause')).toBeHidden()
    await page.getByLabel(/^Contract number/).fill(email)
    await page.getByLabel('Email for the receipt').fill(email)
    await cancelButton.click()
    await expect(page.locator('#said')).toHaveText(
      /^One click left\. We’ve emailed .* Received: \w+ \d+, \d{4}, \d+:\d\d:\d\d [AP]M UTC\.$/,
    )

    const receipt = (await shop.mails()).findLast(({ to }) => to === email)
    await page.goto(/http\S+declarations\/confirm\S+/.exec(receipt?.text ?? '')?.[0] ?? '')
    await page.getByRole('button', { name: 'Confirm' }).click()
    await expect(page.locator('#said')).toHaveText(/^Done\./)
    expect(await buyer.call(purchases.list, {})).toMatchObject([{ status: 'pending_cancel' }])
  })

  test('a visitor reads products and new reviews, and that the checkout needs JavaScript', async ({ page, shop }) => {
    await page.goto('/products/rebound-sigma-pro')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Rebound Sigma Pro')
    await page.locator('summary').first().click()
    await expect(page.locator('details').first()).toHaveAttribute('open')

    await page.goto('/checkout?product=rebound-sigma-pro&billing=monthly')
    await expect(page.getByRole('heading', { level: 1, name: 'Checkout' })).toBeVisible()
    const scriptNotice = page.locator('.needs-script p').first()
    await expect(scriptNotice).toContainText('This page needs JavaScript.')
    await expect(scriptNotice).toContainText('Card payments can’t be made safely without it.')
    const headerBox = await boxOf(page.getByRole('banner'))
    const noticeBox = await boxOf(scriptNotice)
    const footerBox = await boxOf(page.getByRole('contentinfo'))
    expect(noticeBox.y).toBeGreaterThan(headerBox.y + headerBox.height)
    expect(noticeBox.y + noticeBox.height).toBeLessThan(footerBox.y)

    const { user } = await shop.user()
    const review = { stars: 4, text: 'Quiet, </script> then <b>clear</b>.', author: 'Grace', writtenAt: new Date() }
    const { id: productId } = reboundSigmaPro
    await shop.connection.db.insert(reviews).values({ userId: user.id, productId, ...review })
    const reviewItem = page.getByRole('main').getByRole('listitem').filter({ hasText: review.text })
    await waitUntilServed(shop, '/reviews', 'then &lt;b&gt;clear')

    await page.goto('/reviews')
    await expect(reviewItem).toContainText('Grace')
    await expect(reviewItem.getByRole('img', { name: '4 of 5 stars' })).toBeVisible()
    await expect(reviewItem.getByRole('button')).toHaveCount(0)
  })
})

test('a form that is sent too often is refused and keeps its entries', async () => {
  await using shop = await openShop({ rateLimits: true })
  const sendForm = () =>
    shop
      .visitor()
      .fetch(contact.send.path, {
        method: 'POST',
        headers: { origin: shop.url },
        body: new URLSearchParams({ firstName: 'Ada', message: 'Hello "you"' }),
      })
  for (let count = 0; count < 5; count++) expect((await sendForm()).status).toBe(400)

  const refusal = await sendForm()
  expect(refusal.status).toBe(429)
  const html = await refusal.text()
  expect(html).toContain('<div id="said" role="alert">Too many attempts.')
  expect(html).toContain('value="Ada"')
  expect(html).toMatch(/<textarea[^>]*>\s*Hello ("|&quot;)you("|&quot;)<\/textarea>/)
})

test('a form sent before the scripts have loaded leads to a page that works afterwards', async ({ page }) => {
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
