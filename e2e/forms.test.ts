import { expect, test } from './shop.ts'
import { comeFrom } from './visitors.ts'

test.beforeEach(({ page }) => comeFrom(page, { country_code: 'US' }))

for (const { where, path, success } of [
  { where: 'contentinfo', path: '/', success: "You've been added to our newsletter." },
  { where: 'main', path: '/products', success: "You'll be notified when new products launch." },
] as const)
  test.describe(`the newsletter form in ${where} of ${path}`, () => {
    test('says what it is doing, says thanks, and clears itself', async ({ page, shop }) => {
      const email = `reader-${Date.now()}@example.com`
      const { promise: held, resolve: answer } = Promise.withResolvers<void>()
      await page.route('**/api/newsletter/subscribe', async (route) => {
        await held
        await route.continue()
      })
      await page.goto(path)
      const form = page.getByRole(where).locator('form')
      await form.getByLabel('Email address').fill(email)
      await form.getByRole('button', { name: 'Subscribe' }).click()
      await expect(form.getByRole('button', { name: 'Subscribing...' })).toBeDisabled()
      answer()
      await expect(page.getByText('Subscribed!', { exact: true })).toBeVisible()
      await expect(page.getByText(success, { exact: true })).toBeVisible()
      await expect(form.getByLabel('Email address')).toHaveValue('')
      await expect.poll(async () => (await shop.mails()).some(({ to }) => to === email)).toBe(true)
    })

    test('does nothing when empty and says why the server refused', async ({ page }) => {
      let calls = 0
      await page.route('**/api/newsletter/subscribe', (route) => {
        calls += 1
        return route.fulfill({ status: 503, json: { message: 'The mailroom is closed' } })
      })
      await page.goto(path)
      const form = page.getByRole(where).locator('form')
      await form.getByRole('button', { name: 'Subscribe' }).click()
      expect(calls).toBe(0)
      await form.getByLabel('Email address').fill('reader@example.com')
      await form.getByLabel('Email address').press('Enter')
      await expect(page.getByText('Subscription failed', { exact: true })).toBeVisible()
      await expect(page.getByText('The mailroom is closed', { exact: true })).toBeVisible()
      await expect(form.getByLabel('Email address')).toHaveValue('reader@example.com')
    })
  })

test.describe('the contact form', () => {
  test('sends the message to the seller and clears itself', async ({ page, shop }) => {
    await page.goto('/about')
    const form = page.getByRole('form', { name: 'Contact' })
    const message = `Does it work on Mars? ${Date.now()}`
    await form.getByLabel('First name').fill('Ada')
    await form.getByLabel('Last name').fill('Trader')
    await form.getByLabel('Email').fill('ada@example.com')
    await form.getByLabel('Message').fill(message)
    await form.getByLabel('What is 5 + 3?').fill('8')
    await form.getByRole('button', { name: 'Send Message' }).click()
    await expect(page.getByText('Message sent successfully!', { exact: true })).toBeVisible()
    await expect(form.getByLabel('Message')).toHaveValue('')
    await expect
      .poll(async () =>
        (await shop.mails()).some(
          ({ to, text }) => to === shop.config.supportEmail && text?.includes(message),
        ),
      )
      .toBe(true)
  })

  test('requires all four fields, ties errors to them, and focuses the first', async ({ page }) => {
    await page.goto('/about')
    const form = page.getByRole('form', { name: 'Contact' })
    await form.getByLabel('First name').fill('Ada')
    await form.getByLabel('What is 5 + 3?').fill('8')
    await form.getByRole('button', { name: 'Send Message' }).click()
    await expect(page.getByText('Missing fields', { exact: true })).toBeVisible()
    await expect(page.getByText('Please fill in all fields.', { exact: true })).toBeVisible()
    await expect(form.getByLabel('Last name')).toBeFocused()
    await expect(form.getByLabel('Last name')).toHaveAccessibleDescription('Please enter your last name')
  })

  test('an error leaves as soon as its field is right, and the focus stays, at 390 and 1280 px', async ({
    page,
  }) => {
    await page.goto('/about')
    const form = page.getByRole('form', { name: 'Contact' })
    const [email, message] = [form.getByLabel('Email'), form.getByLabel('Message')]
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 844 })
      await email.fill('ada@')
      await form.getByRole('button', { name: 'Send Message' }).click()
      await expect(form.getByText('Please enter a valid email address')).toBeVisible()
      await email.pressSequentially('ex')
      await expect(form.getByText('Please enter a valid email address')).toBeVisible()
      await email.pressSequentially('ample.com')
      await expect(form.getByText('Please enter a valid email address')).toBeHidden()
      await expect(email).not.toHaveAttribute('aria-invalid')
      await expect(email).toBeFocused()
      // What is still missing stays marked, and what is emptied again is not marked before the next attempt.
      await expect(message).toHaveAttribute('aria-invalid', 'true')
      await email.fill('')
      await expect(email).not.toHaveAttribute('aria-invalid')
    }
  })

  test('requires the right answer to its question', async ({ page }) => {
    await page.goto('/about')
    const form = page.getByRole('form', { name: 'Contact' })
    await form.getByLabel('First name').fill('Ada')
    await form.getByLabel('Last name').fill('Trader')
    await form.getByLabel('Email').fill('ada@example.com')
    await form.getByLabel('Message').fill('Hello')
    await form.getByLabel('What is 5 + 3?').fill('9')
    await form.getByRole('button', { name: 'Send Message' }).click()
    await expect(page.getByText('Incorrect answer', { exact: true })).toBeVisible()
    await expect(form.getByLabel('What is 5 + 3?')).toBeFocused()
  })

  test('keeps what was typed when the server fails, and says what to do', async ({ page }) => {
    await page.route('**/api/contact', (route) => route.fulfill({ status: 500, body: '' }))
    await page.goto('/about')
    const form = page.getByRole('form', { name: 'Contact' })
    await form.getByLabel('First name').fill('Ada')
    await form.getByLabel('Last name').fill('Trader')
    await form.getByLabel('Email').fill('ada@example.com')
    await form.getByLabel('Message').fill('Hello')
    await form.getByLabel('What is 5 + 3?').fill('8')
    await form.getByRole('button', { name: 'Send Message' }).dblclick()
    await expect(page.getByText('Failed to send message', { exact: true })).toBeVisible()
    await expect(
      page.getByText('Please try again later or contact us directly via email.', { exact: true }),
    ).toBeVisible()
    await expect(form.getByLabel('Message')).toHaveValue('Hello')
  })

  test('has a field that only bots see', async ({ page }) => {
    await page.goto('/about')
    const trap = page.locator('input[name=website]')
    await expect(trap).toHaveCount(1)
    await expect(trap).toBeHidden()
  })
})
