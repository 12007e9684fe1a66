import { dialog, openAdmin, toast } from './admin-helpers.ts'
import { expect, expectAccessible, inOwnShop } from './shop.ts'

/** In a shop of its own, because tests of the common shop expect its first prices. */
const test = inOwnShop()

test('the seller publishes a price that the site shows, plans another and calls it off; subscribers keep theirs', async ({
  page,
  shop,
}) => {
  await shop.buyer()
  await openAdmin(page, shop, '/admin/purchases/prices')
  const history = page.getByRole('list', { name: /monthly$/ })
  await expect(history.getByText('the first price')).toBeVisible()
  await page.getByRole('button', { name: /^New price.* monthly/ }).click()
  const form = dialog(page)
  await form.getByLabel('Price in dollars', { exact: true }).fill('49.50')
  await form.getByLabel('Regular price in dollars (optional)').fill('59')
  await expectAccessible(page)
  await form.getByRole('button', { name: 'Publish' }).click()
  await toast(page, 'Published')
  await expect(page.getByText(/No one pays it yet\. .*keeps? \$39\.00\./)).toBeVisible()
  await expect(async () => {
    const answer = await page.request.get('/products/rebound-sigma-pro')
    const html = (await answer.text()).replaceAll('<!-- -->', '')
    expect(html).toContain('$49.50')
    expect(html).toContain('Regular price $59')
    // Twelve months cost $594 then: $204 less, which is no whole number of months.
    expect(html).toContain('Save $204')
    expect(html).not.toContain('months free')
  }).toPass()

  await page.getByRole('button', { name: /^New price.* monthly/ }).click()
  await form.getByLabel('Price in dollars', { exact: true }).fill('55')
  await form.getByLabel('From a day').check()
  const soon = new Date(Date.now() + 20 * 86_400_000).toISOString().slice(0, 10)
  await form.getByLabel('From', { exact: true }).fill(soon)
  await form.getByRole('button', { name: 'Publish' }).click()
  const planned = history.getByRole('listitem').filter({ hasText: 'planned' })
  await expect(planned).toContainText('$55.00')
  // The present price, published again, replaces what was planned.
  await page.getByRole('button', { name: /^New price.* monthly/ }).click()
  await form.getByLabel('Price in dollars', { exact: true }).fill('49.50')
  await form.getByRole('button', { name: 'Publish' }).click()
  await expect(history.getByRole('listitem').filter({ hasText: 'called off' })).toContainText('$55.00')
  await expect(planned).toHaveCount(0)
  await expect(history.getByRole('listitem').first()).toContainText('$49.50current')
})
