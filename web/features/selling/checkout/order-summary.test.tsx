// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import type { ListedProduct } from '#contract/selling/product.ts'
import type { SiteSettings } from '#contract/site/site-settings.ts'
import { SettingsProvider } from '#web/api/settings.tsx'
import { render } from '#web/testing/render.tsx'
import { OrderDetails } from './order-summary.tsx'

test('what an order contains is on the page before it is opened, so that search in the page finds it', async () => {
  const product = { slug: 'pro', points: ['The indicator'], plans: {} } as unknown as ListedProduct
  const settings = { products: [product], prices: { pro: { monthly: { price: 3900 } } } } as unknown as SiteSettings
  await render(
    <SettingsProvider value={settings}>
      <OrderDetails product={product} />
    </SettingsProvider>,
  )
  expect(document.querySelector('details:not([open])')?.textContent).toContain('The indicator')
})
