import { randomUUID } from 'node:crypto'
import type { Locator, Page } from '@playwright/test'
import { access } from '#contract/access/access.ts'
import { accessAdmin } from '#contract/access/access-admin.ts'
import { bookPurchase } from '#server/testing/book-purchase.ts'
import type { TestShop } from '#server/testing/open-shop.ts'
import { expect, expectAccessibleInBothThemes, logInAs } from './shop.ts'

export async function openAdmin(page: Page, shop: TestShop, address = '/admin') {
  const admin = await shop.admin()
  await logInAs(page, admin, shop)
  await page.goto(address)
  return admin
}

export const expectToast = (page: Page, text: string) => expect(page.getByText(text, { exact: true })).toBeVisible()
export const dialog = (page: Page) => page.getByRole('dialog')
export const confirmDialog = (page: Page) => page.getByRole('alertdialog')
export const rowOf = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text })

export async function openMenu(row: Locator) {
  await row.getByRole('button', { name: /^Actions for/ }).click()
  return row.getByRole('menu')
}

export async function chooseFromMenu(row: Locator, action: string) {
  await (await openMenu(row)).getByRole('menuitem', { name: action, exact: true }).click()
}

export async function createCustomer(shop: TestShop) {
  // Letters only, because the shop refuses names with as many digits as a phone number.
  const suffix = randomUUID()
    .slice(0, 8)
    .replaceAll(/\d/g, (digit) => 'ghijklmnop'.charAt(Number(digit)))
  const buyer = await shop.user({ name: `Nora ${suffix}`, email: `nora-${suffix}@example.com` })
  const purchase = await bookPurchase(shop.connection, buyer.user.id)
  return { ...buyer, purchase, email: buyer.user.email }
}

export async function createCustomerWithRequest(shop: TestShop) {
  const buyer = await createCustomer(shop)
  const tradingViewUsername = `tv_${randomUUID().slice(0, 8)}`
  await buyer.call(access.submitForPurchase, {
    purchaseId: buyer.purchase.id,
    exchangeName: 'Kraken',
    tradingViewUsername,
    apiKey: `key-${tradingViewUsername}`,
    secretKey: 'very secret',
  })
  return { ...buyer, tradingViewUsername }
}

export async function findAccessId(admin: Awaited<ReturnType<TestShop['admin']>>, email: string) {
  const [person] = await admin.call(accessAdmin.people, { q: email })
  return person?.id ?? ''
}

/** Checks both themes, and horizontal overflow at the widths in pixels. */
export async function expectAccessibleAndFitting(page: Page, widths = [360]) {
  const originalSize = page.viewportSize() ?? { width: 1280, height: 720 }
  // An element that is still fading in would fail the contrast rule.
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await expectAccessibleInBothThemes(page)
  for (const width of widths) {
    await page.setViewportSize({ width, height: 844 })
    const overflowingElements = await page.locator('html, main section, dialog[open]').evaluateAll(
      (elements) =>
        elements.filter(
          (element) =>
            element.checkVisibility() &&
            // A wide table scrolls inside its own container.
            getComputedStyle(element).overflowX !== 'auto' &&
            element.scrollWidth > element.clientWidth,
        ).length,
    )
    expect(overflowingElements, `${page.url()} at ${width} px`).toBe(0)
  }
  await page.setViewportSize(originalSize)
}
