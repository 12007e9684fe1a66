import type { Page } from '@playwright/test'
import { expect, test } from './shop.ts'
import { publicPaths } from './visitors.ts'

/** Reads the metadata in the HTML that the server sent, without running scripts. */
const readHead = (page: Page, html: string) =>
  page.evaluate((source) => {
    const { title, head } = new DOMParser().parseFromString(source, 'text/html')
    const content = (selector: string) => head.querySelector(selector)?.getAttribute('content') ?? ''
    return {
      title,
      robots: content('meta[name=robots]'),
      description: content('meta[name=description]'),
      image: content('meta[property="og:image"]'),
      previewTitle: content('meta[property="og:title"]'),
      twitterCard: content('meta[name="twitter:card"]'),
      canonicalUrl: head.querySelector('link[rel=canonical]')?.getAttribute('href'),
    }
  }, html)

test('every public page has its own title, description, URL, and preview image', async ({ page, baseURL, request }) => {
  const usedValues = new Set<string>()
  for (const path of publicPaths) {
    const { title, description, image, ...otherTags } = await readHead(page, await (await request.get(path)).text())
    expect(otherTags).toEqual({
      canonicalUrl: `${baseURL}${path}`,
      previewTitle: title,
      twitterCard: 'summary_large_image',
      robots: '',
    })
    expect(description.length).toBeLessThanOrEqual(160)
    const imageResponse = await request.get(image)
    expect(imageResponse.headers()['content-type']).toBe('image/png')

    for (const value of [title, description, image]) {
      expect(usedValues.has(value), value).toBe(false)
      usedValues.add(value)
    }
  }
})

test('the product page has structured data about seller, prices and questions', async ({ page, baseURL }) => {
  await page.goto('/products/rebound-sigma-pro', { waitUntil: 'commit' })
  const blocks = await page.locator('script[type="application/ld+json"]').allTextContents()
  const data = blocks.map((block) => JSON.parse(block))
  const blockOfType = (type: string) => data.find((block) => block['@type'] === type)

  expect(blockOfType('Organization')).toMatchObject({ name: 'Rebound Sigma', url: `${baseURL}/` })
  expect(blockOfType('Product').offers).toMatchObject([
    { price: '39.00', priceCurrency: 'USD' },
    { price: '390.00', priceCurrency: 'USD' },
  ])
  expect(blockOfType('FAQPage').mainEntity).toHaveLength(8)
  expect(blockOfType('BreadcrumbList').itemListElement).toMatchObject([
    { position: 1, name: 'Home' },
    { position: 2, name: 'Products', item: `${baseURL}/products` },
    { position: 3, name: 'Rebound Sigma Pro' },
  ])
})

test('the changelog has an RSS feed', async ({ page, request, baseURL }) => {
  await page.goto('/changelog')
  const [title] = await page.locator('main section h2').allTextContents()
  const feed = page.locator('link[type="application/rss+xml"]')

  const response = await request.get((await feed.getAttribute('href')) ?? '')
  expect(response.headers()['content-type']).toContain('application/rss+xml')
  const items = await response.text()
  expect(items).toContain(`<title>${title}</title>`)
  expect(items).toContain(`<link>${baseURL}/changelog#`)
})

test('sitemap, robots.txt, manifest and icons exist, and private pages are not indexed', async ({
  page,
  request,
  baseURL,
}) => {
  const sitemap = await (await request.get('/sitemap.xml')).text()
  expect([...sitemap.matchAll(/<loc>(.*?)<\/loc>/g)].map(([, address]) => address)).toEqual(
    publicPaths.map((path) => `${baseURL}${path}`),
  )
  expect(await (await request.get('/robots.txt')).text()).toContain(`Sitemap: ${baseURL}/sitemap.xml`)

  const manifest = await (await request.get('/site.webmanifest')).json()
  for (const { src } of [...manifest.icons, { src: '/favicon.svg' }, { src: '/apple-touch-icon.png' }])
    expect((await request.get(src)).status(), src).toBe(200)

  for (const path of ['/auth', '/checkout', '/dashboard', '/admin', '/welcome', '/no-such-page']) {
    const { robots } = await readHead(page, await (await request.get(path)).text())
    expect(robots, path).toBe('noindex')
  }
})
