// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { expect, onTestFinished, test, vi } from 'vitest'
import { reviews } from '#contract/site/reviews.ts'
import type { SiteSettings } from '#contract/site/site-settings.ts'
import { createQueryClient } from '#web/api/query-client.ts'
import { SettingsProvider } from '#web/api/settings.tsx'
import { eventually, perform, render } from '#web/testing/render.tsx'
import { NavigationProvider } from '#web/ui/navigation.tsx'
import ReviewsPage from './reviews-page.tsx'

const review = { id: '1', stars: 5, text: 'It works.', author: 'Ada', writtenAt: '2026-11-01T12:00:00.000Z' }

function renderReviews() {
  const settings = {
    products: [{ slug: 'sigma', name: 'Sigma' }],
    reviews: { count: 2, average: 5, byStars: [0, 0, 0, 0, 2] },
  }
  return render(
    <SettingsProvider value={settings as unknown as SiteSettings}>
      <QueryClientProvider client={createQueryClient()}>
        <NavigationProvider pathname="/reviews" load={() => Promise.resolve()}>
          <ReviewsPage />
        </NavigationProvider>
      </QueryClientProvider>
    </SettingsProvider>,
  )
}

test('the sort field keeps the focus while the reviews load in the new order', async () => {
  const addresses: string[] = []
  vi.stubGlobal('fetch', async (address: string) => {
    addresses.push(address)
    return Response.json(address.startsWith(reviews.list.path) ? [review] : null)
  })
  onTestFinished(() => void vi.unstubAllGlobals())
  await renderReviews()
  const findField = () => document.querySelector('select')
  await eventually(() => expect(findField()).not.toBeNull())
  const field = findField()
  field?.focus()
  await perform(() => {
    if (field) field.value = 'lowest'
    field?.dispatchEvent(new Event('change', { bubbles: true }))
  })
  await eventually(() => expect(addresses.at(-1)).toContain('sort=lowest'))
  expect(findField()).toBe(field)
  expect(document.activeElement).toBe(field)
})

test('if the next page of reviews can’t be loaded, the present ones stay', async () => {
  vi.stubGlobal('fetch', async (address: string) => {
    if (!address.startsWith(reviews.list.path)) return Response.json(null)
    if (address.includes('cursor')) return new Response('', { status: 503 })
    return Response.json([review], { headers: { link: `<${reviews.list.path}?cursor=next>; rel="next"` } })
  })
  onTestFinished(() => void vi.unstubAllGlobals())
  await renderReviews()
  const moreButton = () => [...document.querySelectorAll('button')].find((button) => /more/.test(button.textContent))
  await eventually(() => expect(moreButton()).toBeDefined())
  await perform(() => moreButton()?.click())
  await eventually(() => expect(document.body.textContent).toContain('Loading failed. Try again'))
  expect(document.body.textContent).toContain('It works.')
})
