import { randomUUID } from 'node:crypto'
import { accounts } from '#contract/accounts.ts'
import { expect, test } from './shop.ts'

/** What visitors get whose scripts are slow to arrive, or never do. */
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
    await signUp.getByLabel('Name').fill('Ada')
    await signUp.getByLabel('Email').fill(email)
    await signUp.getByLabel('Password', { exact: true }).fill('correct horse battery')
    await signUp.getByRole('button', { name: 'Create Account' }).click()
    await expect(page).toHaveURL('/dashboard')
    await expect(page.locator('.needs-script')).toContainText('This page needs JavaScript.')

    await page.context().clearCookies()
    await page.goto('/auth')
    const logIn = page.getByRole('form', { name: 'Login' })
    await logIn.getByLabel('Email').fill(email)
    await logIn.getByLabel('Password', { exact: true }).fill('wrong')
    await logIn.getByRole('button', { name: 'Log In' }).click()
    await expect(page.getByRole('alert')).toHaveText('Invalid email or password')
    await logIn.getByLabel('Email').fill(email)
    await logIn.getByLabel('Password', { exact: true }).fill('correct horse battery')
    await logIn.getByRole('button', { name: 'Log In' }).click()
    await expect(page).toHaveURL('/dashboard')

    await page.goto('/forgot-password')
    await page.getByLabel('Email', { exact: true }).fill(email)
    await page.getByRole('button', { name: 'Send Reset Link' }).click()
    await expect(said).toHaveText(/^If an account exists with this email/)
    const mail = (await shop.mails()).find(({ to, text }) => to === email && text.includes('token='))
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

    await page.goto('/about')
    const form = page.getByRole('form', { name: 'Contact' })
    const write = async (answer: string) => {
      await form.getByLabel('First name').fill('Ada')
      await form.getByLabel('Last name').fill('Trader')
      await form.getByLabel('Email').fill(email)
      await form.getByLabel('Message').fill('Hello')
      await form.getByLabel('What is 5 + 3?').fill(answer)
      await form.getByRole('button', { name: 'Send Message' }).click()
    }
    await write('9')
    await expect(page.getByRole('alert')).toHaveText('Please answer the security question correctly.')
    await write('8')
    await expect(page.locator('#said')).toHaveText('Message sent successfully!')
    expect((await shop.mails()).filter(({ text }) => text.includes(email))).toHaveLength(1)
  })
})

test('a form sent before the script was there leads to a page that works once it is', async ({ page }) => {
  await page.route('**/assets/**.js', (route) => route.abort(), { times: 30 })
  await page.goto('/auth')
  await page.getByLabel('Email', { exact: true }).fill('nobody@example.com')
  await page.getByLabel('Password', { exact: true }).fill('a <b>bold</b> guess')
  await page.unroute('**/assets/**.js')
  await page.getByRole('button', { name: 'Log In' }).click()
  await expect(page.getByRole('alert')).toHaveText('Invalid email or password')
  await expect(page).toHaveURL('/auth')
  await page.getByRole('tab', { name: 'Sign Up' }).click()
  await expect(page.getByLabel('Name', { exact: true })).toBeVisible()
})
