// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import type { ListedProduct } from '#contract/selling/product.ts'
import type { SiteSettings } from '#contract/site/site-settings.ts'
import { SettingsProvider } from '#web/api/settings.tsx'
import { render } from '#web/testing/render.tsx'
import { OrderEssentials } from './order-essentials.tsx'

test('the tax inside the price is shown before paying, also outside of EU consumer law', async () => {
  const settings = { consumerLaw: 'none', tax: { mode: 'stripe', note: '' } } as SiteSettings
  await render(
    <SettingsProvider value={settings}>
      <OrderEssentials
        product={{ name: 'Rebound Sigma Pro', includes: '' } as ListedProduct}
        billing="monthly"
        offer={{ price: 3900, due: 3900 }}
        tax={{ percent: 19, amount: 623, isReverseCharge: false, parts: [{ name: 'VAT', percent: 19, amount: 623 }] }}
      />
    </SettingsProvider>,
  )
  expect(document.body.textContent).toBe('Total price $39.00, incl. 19 % VAT ($6.23)')
})
