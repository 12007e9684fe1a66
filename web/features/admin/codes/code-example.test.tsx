// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import type { SiteSettings } from '#contract/site/site-settings.ts'
import { SettingsProvider } from '#web/api/settings.tsx'
import { render } from '#web/testing/render.tsx'
import { CodeExample } from './code-example.tsx'

const settings = {
  products: [{ slug: 'sigma' }],
  prices: { sigma: { monthly: { amount: 3900 }, yearly: { amount: 39_000 } } },
} as unknown as SiteSettings

test('the code dialog says what each buyer pays, and warns that months of discount cover a whole year', async () => {
  await render(
    <SettingsProvider value={settings}>
      <CodeExample percentOff={50} amountOff={null} months={3} billingType={undefined} />
    </SettingsProvider>,
  )
  const text = document.body.textContent
  expect(text).toContain('A monthly buyer pays $19.50 every month for 3 months, then $39.00.')
  expect(text).toContain('A yearly buyer pays $195.00 for the first year, then $390.00 every year.')
  expect(text).toContain('the discount comes off all of it')
})
