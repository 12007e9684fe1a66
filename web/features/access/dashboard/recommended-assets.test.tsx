// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import { assets } from '#contract/access/assets.ts'
import type { SiteSettings } from '#contract/site/site-settings.ts'
import { keyOf } from '#web/api/client.ts'
import { createQueryClient } from '#web/api/query-client.ts'
import { SettingsProvider } from '#web/api/settings.tsx'
import { render } from '#web/testing/render.tsx'
import { RecommendedAssets } from './recommended-assets.tsx'

const asset = (ticker: string, reviewedAt: string) => ({
  id: ticker,
  ticker,
  note: null,
  reviewedAt,
  createdAt: '2026-01-01T00:00:00.000Z',
})

test('a symbol that was added lately does not make the whole list reviewed', async () => {
  const client = createQueryClient([
    [keyOf(assets.list, {}), [asset('AAPL', '2026-05-03T00:00:00.000Z'), asset('MSFT', '2026-06-20T00:00:00.000Z')]],
    [keyOf(assets.recentlyRemoved, {}), []],
  ])
  await render(
    <SettingsProvider value={{ products: [] as unknown, maker: null } as SiteSettings}>
      <QueryClientProvider client={client}>
        <RecommendedAssets />
      </QueryClientProvider>
    </SettingsProvider>,
  )
  expect(document.querySelector('time')?.dateTime).toBe('2026-05-03T00:00:00.000Z')
})
