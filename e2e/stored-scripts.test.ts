import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import { eq } from 'drizzle-orm'
import { access } from '#contract/access/access.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { contact } from '#contract/site/contact.ts'
import { newsletter } from '#contract/site/newsletter.ts'
import { reviews } from '#contract/site/reviews.ts'
import { access as accessRows, purchases as purchaseRows, users } from '#server/database/schema.ts'
import type { TestShop } from '#server/testing/open-shop.ts'
import { chooseFromMenu } from './admin-helpers.ts'
import { expect, logInAs, test } from './shop.ts'
import { waitUntilServed } from './visitors.ts'

const attackText = (mark: string) => `'"><img src=x onerror=alert(1)><script>alert('${mark}')</script>`

async function watchViolations(page: Page) {
  const violations: string[] = []
  page.on('dialog', (dialog) => {
    violations.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  await page.exposeFunction('reportViolation', (violation: string) => violations.push(violation))
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) => {
      const { reportViolation } = window as unknown as { reportViolation(violation: string): void }
      reportViolation(`${violatedDirective} ${blockedURI} ${sample}`)
    })
  })
  return violations
}

/** Enters the attack text into every field that visitors and buyers can fill in. */
async function enterAttackEverywhere(shop: TestShop) {
  // Letters only, because the shop refuses names with as many digits as a phone number.
  const mark = randomUUID().replaceAll(/[^a-f]/g, '')
  const text = attackText(mark)
  const email = `o'hara+${mark}@example.com`
  await shop.visitor().call(contact.send, { firstName: text, lastName: text, email, message: text })
  await shop.visitor().call(newsletter.subscribe, { email })

  const buyer = await shop.user({ name: text, email, password: text })
  await shop.buy(buyer)
  await buyer.call(accounts.updateProfile, { name: text })
  const [purchase] = await buyer.call(purchases.list, {})
  await buyer.call(access.submitForPurchase, {
    purchaseId: purchase?.id ?? '',
    exchangeName: text,
    tradingViewUsername: mark,
    apiKey: text,
    secretKey: text,
    additionalInfo: text,
  })

  // Stores the text directly as username, because the form would refuse it.
  const { db } = shop.connection
  await db.update(users).set({ tradingViewUsername: text }).where(eq(users.id, buyer.user.id))
  await db.update(accessRows).set({ username: text }).where(eq(accessRows.userId, buyer.user.id))

  // Makes the purchase 40 days old, because new buyers cannot write a review.
  await db
    .update(purchaseRows)
    .set({ createdAt: new Date(Date.now() - 40 * 86_400_000) })
    .where(eq(purchaseRows.userId, buyer.user.id))

  await buyer.call(reviews.write, { stars: 1, text, author: text })
  const [review] = await shop.visitor().call(reviews.list, { limit: 1 })
  await shop.visitor().call(reviews.report, { id: review?.id ?? '', reason: text })

  const login = await shop
    .visitor()
    .fetch('/api/login', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': text, referer: `${shop.url}/?${text}` },
      body: JSON.stringify({ email, password: text }),
    })
  expect(login.status).toBe(200)
  return { text, mark, email, buyer }
}

test('markup that visitors and buyers enter stays text in admin area, dashboard and emails', async ({
  page,
  shop,
  browser,
}) => {
  const violations = await watchViolations(page)
  const { text, mark, email, buyer } = await enterAttackEverywhere(shop)

  await logInAs(page, buyer, shop)
  await page.goto('/dashboard')
  await expect(page.getByText(text).first()).toBeVisible()

  await page.getByRole('button', { name: 'Profile' }).click()
  await expect(page.getByLabel('TradingView Username')).toHaveValue(text)

  await page.goto('/account')
  await expect(page.getByRole('region', { name: 'Where you’re logged in' })).toBeVisible()

  await waitUntilServed(shop, '/reviews', mark)
  await page.goto('/reviews')
  await expect(page.getByRole('listitem').getByText(text).first()).toBeVisible()

  await page.context().clearCookies()
  await logInAs(page, await shop.admin(), shop)
  for (const path of ['/admin/users', '/admin/purchases', '/admin/messages/reviews', '/admin/access']) {
    await page.goto(path)
    const panel = page.getByRole('main')
    // Long lists render only the rows in view.
    if (path === '/admin/users' || path === '/admin/purchases') await panel.getByRole('searchbox').fill(email)
    await expect(panel.getByText(text).first()).toBeVisible()
  }

  await chooseFromMenu(page.getByRole('row').filter({ hasText: text }), 'History and details')
  await page.getByRole('dialog').getByRole('button', { name: 'Reveal key' }).click()
  await expect(page.getByRole('dialog').getByText(text).first()).toBeVisible()
  await page.keyboard.press('Escape')

  await page.getByRole('link', { name: 'Activity' }).click()
  await expect(page.getByRole('region', { name: 'Audit log entries' })).toBeVisible()

  const mails = (await shop.mails()).filter((mail) => `${mail.subject}${mail.text}`.includes(text))
  expect(mails.length).toBeGreaterThan(1)
  for (const { messageId } of mails) {
    await page.goto(`/dev/mails?mail=${encodeURIComponent(messageId)}`)
    await expect(page.locator('pre')).toContainText(text)
    await expect(page.frameLocator('iframe').first().getByText(text).last()).toBeVisible()
  }
  expect(violations).toEqual([])

  await test.step('a blocked image is recorded as a violation', async () => {
    const otherPage = await browser.newPage()
    const otherViolations = await watchViolations(otherPage)
    await otherPage.goto(`${shop.url}/dev/mails`)
    await otherPage.evaluate(() => {
      const image = document.createElement('img')
      image.src = '/favicon.svg'
      document.body.append(image)
    })
    await expect.poll(() => otherViolations.join()).toContain('img-src')
    await otherPage.close()
  })
})
