// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { expect, onTestFinished, test, vi } from 'vitest'
import { catalog } from '#contract/selling/catalog.ts'
import type { ListedProduct, ProductText } from '#contract/selling/product.ts'
import type { SiteSettings } from '#contract/site/site-settings.ts'
import { keyOf } from '#web/api/client.ts'
import { createQueryClient } from '#web/api/query-client.ts'
import { SettingsProvider } from '#web/api/settings.tsx'
import { eventually, render } from '#web/testing/render.tsx'
import { NavigationProvider } from '#web/ui/navigation.tsx'
import ProductPage from './product-page.tsx'

const slug = 'sigma'
const product = { slug, name: 'Sigma', state: 'on sale', drawings: null, reviews: { count: 0, average: 0 } }
const section = { lead: '', items: [] }
const texts = { facts: [], benefits: section, steps: section, chart: null, contents: section, questions: [] }

async function openPage(regular: number | null, pageTexts?: Partial<ProductText>) {
  history.replaceState(null, '', `/products/${slug}`)
  vi.stubGlobal('fetch', async () => new Response('', { status: 503 }))
  onTestFinished(() => void vi.unstubAllGlobals())
  const settings: Partial<SiteSettings> = {
    products: [product as unknown as ListedProduct],
    prices: { [slug]: { monthly: { amount: 3900, regular } } },
    maker: null,
    figures: { secondsToUnlock: null, secondsToAnswer: null },
    consumerLaw: 'none',
  }
  const data: [unknown[], unknown][] = pageTexts ? [[keyOf(catalog.page, { slug }), pageTexts]] : []
  await render(
    <SettingsProvider value={settings as SiteSettings}>
      <QueryClientProvider client={createQueryClient(data)}>
        <NavigationProvider pathname={`/products/${slug}`} load={() => Promise.resolve()}>
          <ProductPage />
        </NavigationProvider>
      </QueryClientProvider>
    </SettingsProvider>,
  )
}

test.for([
  ['promises a lower price than the regular one', 4900, true],
  ['promises none without a regular price', null, false],
] as const)('the pricing %s', async ([, regular, isPromised]) => {
  await openPage(regular, texts)
  expect(document.body.textContent.includes('Join now and pay less.')).toBe(isPromised)
  expect(document.body.textContent).toContain('Cancel any time from your dashboard.')
})

test('texts that can’t be loaded show an error', async () => {
  await openPage(null)
  await eventually(() => expect(document.body.textContent).toContain('We couldn’t load this page.'))
})
