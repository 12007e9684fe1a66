import { expect, expectAccessible, test } from './shop.ts'
import { declineCookies, holdRequests } from './visitors.ts'

test.beforeEach(({ page, shop }) => declineCookies(page, shop))

test('the newsletter forms ignore an empty address, show a refusal, and clear after a sign-up', async ({
  page,
  shop,
}) => {
  const address = '**/api/newsletter/subscribe'
  await page.goto('/products')
  for (const { where, success } of [
    { where: 'main', success: "You'll be notified when new products launch." },
    { where: 'contentinfo', success: "You've been added to our newsletter." },
  ] as const) {
    const email = `reader-${where}-${Date.now()}@example.com`
    const sentInputs: unknown[] = []
    await page.route(address, (route) => {
      sentInputs.push(route.request().postDataJSON())
      return route.fulfill({ status: 503, json: { message: `The mailroom of ${where} is closed` } })
    })

    const form = page.getByRole(where).locator('form')
    await form.getByRole('button', { name: 'Subscribe' }).click()
    await form.getByLabel('Email address').fill(email)
    await form.getByLabel('Email address').press('Enter')
    await expect(page.getByText('Subscription failed', { exact: true })).toBeVisible()
    await expect(page.getByText(`The mailroom of ${where} is closed`, { exact: true })).toBeVisible()
    await expect(form.getByLabel('Email address')).toHaveValue(email)
    expect(sentInputs).toMatchObject([{ email }])

    await page.unroute(address)

    const releaseRequest = await holdRequests(page, address)
    await form.getByRole('button', { name: 'Subscribe' }).click()
    await expect(form.getByRole('button', { name: 'Subscribing...' })).toBeDisabled()

    releaseRequest()
    await expect(page.getByText('Subscribed!', { exact: true })).toBeVisible()
    await expect(page.getByText(success, { exact: true })).toBeVisible()
    await expect(form.getByLabel('Email address')).toHaveValue('')
    await expect.poll(async () => (await shop.mails()).some(({ to }) => to === email)).toBe(true)
    await page.unroute(address)
  }
})

test('the contact form marks missing and wrong fields, keeps the text on a failure, and then sends it', async ({
  page,
  shop,
}) => {
  await page.goto('/about')
  const form = page.getByRole('form', { name: 'Contact' })
  const sendButton = form.getByRole('button', { name: 'Send Message' })
  const message = `Does it work on Mars? ${Date.now()}`

  const honeypot = page.locator('input[name=website]')
  await expect(honeypot, 'a field that only bots see').toHaveCount(1)
  await expect(honeypot).toBeHidden()

  await form.getByLabel('First name').fill('Ada')
  await form.getByLabel('What is 5 + 3?').fill('9')
  await sendButton.click()
  await expect(page.getByText('Missing fields', { exact: true })).toBeVisible()
  await expect(page.getByText('Please fill in all fields.', { exact: true })).toBeVisible()
  await expect(form.getByLabel('Last name')).toBeFocused()
  await expect(form.getByLabel('Last name')).toHaveAccessibleDescription('Please enter your last name')
  await expectAccessible(page)

  const email = form.getByLabel('Email')
  const emailError = form.getByText('Please enter a valid email address')
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 844 })
    await email.fill('ada@')
    await sendButton.click()
    await expect(emailError).toBeVisible()

    await email.pressSequentially('ex')
    await expect(emailError).toBeVisible()
    await email.pressSequentially('ample.com')
    await expect(emailError).toBeHidden()
    await expect(email).not.toHaveAttribute('aria-invalid')
    await expect(email).toBeFocused()

    // Other missing fields stay marked; a field that is emptied is marked at the next attempt.
    await expect(form.getByLabel('Message')).toHaveAttribute('aria-invalid', 'true')
    await email.fill('')
    await expect(email).not.toHaveAttribute('aria-invalid')
  }

  await form.getByLabel('Last name').fill('Trader')
  await email.fill('ada@example.com')
  await form.getByLabel('Message').fill(message)
  await sendButton.click()
  await expect(page.getByText('Incorrect answer', { exact: true })).toBeVisible()
  await expect(form.getByLabel('What is 5 + 3?')).toBeFocused()

  await page.route('**/api/contact', (route) => route.fulfill({ status: 500, body: '' }))
  await form.getByLabel('What is 5 + 3?').fill('8')
  await sendButton.dblclick()
  await expect(page.getByText('Failed to send message', { exact: true })).toBeVisible()
  await expect(
    page.getByText('Please try again later or contact us directly via email.', { exact: true }),
  ).toBeVisible()
  await expect(form.getByLabel('Message')).toHaveValue(message)

  await page.unroute('**/api/contact')
  await sendButton.click()
  await expect(page.getByText('Message sent successfully!', { exact: true })).toBeVisible()
  await expect(form.getByLabel('Message')).toHaveValue('')
  await expect
    .poll(async () =>
      (await shop.mails()).some(({ to, text }) => to === shop.config.supportEmail && text?.includes(message)),
    )
    .toBe(true)
})
