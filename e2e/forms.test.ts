import { expect, expectAccessible, test } from './shop.ts'
import { declineCookies, holdRequests } from './visitors.ts'

test.beforeEach(({ page, shop }) => declineCookies(page, shop))

test('the newsletter forms do nothing when empty, say why the server refused, then what they are doing and thank for it, and clear themselves', async ({
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
    let calls = 0
    await page.route(address, (route) => {
      calls += 1
      return route.fulfill({ status: 503, json: { message: `The mailroom of ${where} is closed` } })
    })
    const form = page.getByRole(where).locator('form')
    await form.getByRole('button', { name: 'Subscribe' }).click()
    expect(calls).toBe(0)
    await form.getByLabel('Email address').fill(email)
    await form.getByLabel('Email address').press('Enter')
    await expect(page.getByText('Subscription failed', { exact: true })).toBeVisible()
    await expect(page.getByText(`The mailroom of ${where} is closed`, { exact: true })).toBeVisible()
    await expect(form.getByLabel('Email address')).toHaveValue(email)

    await page.unroute(address)
    const answer = await holdRequests(page, address)
    await form.getByRole('button', { name: 'Subscribe' }).click()
    await expect(form.getByRole('button', { name: 'Subscribing...' })).toBeDisabled()
    answer()
    await expect(page.getByText('Subscribed!', { exact: true })).toBeVisible()
    await expect(page.getByText(success, { exact: true })).toBeVisible()
    await expect(form.getByLabel('Email address')).toHaveValue('')
    await expect.poll(async () => (await shop.mails()).some(({ to }) => to === email)).toBe(true)
    await page.unroute(address)
  }
})

test('the contact form asks for what is missing and for the right answer, drops an error as soon as its field is right, keeps what was typed when the server fails, and then sends it to the seller', async ({
  page,
  shop,
}) => {
  await page.goto('/about')
  const form = page.getByRole('form', { name: 'Contact' })
  const send = form.getByRole('button', { name: 'Send Message' })
  const message = `Does it work on Mars? ${Date.now()}`
  const trap = page.locator('input[name=website]')
  await expect(trap, 'only bots see it').toHaveCount(1)
  await expect(trap).toBeHidden()
  await form.getByLabel('First name').fill('Ada')
  await form.getByLabel('What is 5 + 3?').fill('9')
  await send.click()
  await expect(page.getByText('Missing fields', { exact: true })).toBeVisible()
  await expect(page.getByText('Please fill in all fields.', { exact: true })).toBeVisible()
  await expect(form.getByLabel('Last name')).toBeFocused()
  await expect(form.getByLabel('Last name')).toHaveAccessibleDescription('Please enter your last name')
  await expectAccessible(page)

  const email = form.getByLabel('Email')
  const invalid = form.getByText('Please enter a valid email address')
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 844 })
    await email.fill('ada@')
    await send.click()
    await expect(invalid).toBeVisible()
    await email.pressSequentially('ex')
    await expect(invalid).toBeVisible()
    await email.pressSequentially('ample.com')
    await expect(invalid).toBeHidden()
    await expect(email).not.toHaveAttribute('aria-invalid')
    await expect(email).toBeFocused()
    // Missing fields stay marked; a field emptied again is marked at the next attempt.
    await expect(form.getByLabel('Message')).toHaveAttribute('aria-invalid', 'true')
    await email.fill('')
    await expect(email).not.toHaveAttribute('aria-invalid')
  }

  await form.getByLabel('Last name').fill('Trader')
  await email.fill('ada@example.com')
  await form.getByLabel('Message').fill(message)
  await send.click()
  await expect(page.getByText('Incorrect answer', { exact: true })).toBeVisible()
  await expect(form.getByLabel('What is 5 + 3?')).toBeFocused()

  await page.route('**/api/contact', (route) => route.fulfill({ status: 500, body: '' }))
  await form.getByLabel('What is 5 + 3?').fill('8')
  await send.dblclick()
  await expect(page.getByText('Failed to send message', { exact: true })).toBeVisible()
  await expect(
    page.getByText('Please try again later or contact us directly via email.', { exact: true }),
  ).toBeVisible()
  await expect(form.getByLabel('Message')).toHaveValue(message)

  await page.unroute('**/api/contact')
  await send.click()
  await expect(page.getByText('Message sent successfully!', { exact: true })).toBeVisible()
  await expect(form.getByLabel('Message')).toHaveValue('')
  await expect
    .poll(async () =>
      (await shop.mails()).some(({ to, text }) => to === shop.config.supportEmail && text?.includes(message)),
    )
    .toBe(true)
})
