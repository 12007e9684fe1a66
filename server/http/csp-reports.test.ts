import { afterAll, beforeAll, expect, test } from 'vitest'
import { openShop, type TestShop } from '../testing/open-shop.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await openShop({ rateLimits: true })
})
afterAll(() => shop.close())

async function report(body: string, type = 'application/csp-report') {
  const response = await fetch(`${shop.url}/api/csp-reports`, {
    method: 'POST',
    headers: { 'content-type': type },
    body,
  })
  return response.status
}

const reportOf = (directive: unknown) => JSON.stringify({ 'csp-report': { 'effective-directive': directive } })

async function countReports() {
  const text = await (await fetch(`${shop.url}/metrics`)).text()
  return Number(/^shop_csp_reports_total (\d+)$/m.exec(text)?.[1])
}

test('what the content policy blocks is counted, whatever the report says', async () => {
  expect(await report(reportOf('script-src-elem'))).toBe(204)
  for (const body of [
    reportOf('made-up"} 1\nshop_fake 1'),
    reportOf({ a: 1 }),
    reportOf('__proto__'),
    '[]',
    'null',
    '{',
    '',
  ])
    expect(await report(body)).toBe(204)
  expect(await countReports()).toBe(8)
})

test('a large report, another content type, and too many reports from one address are refused', async () => {
  expect(await report(reportOf('x'.repeat(17 * 1024)))).toBe(413)
  expect(await report(reportOf('img-src'), 'application/json')).toBe(415)
  const statuses = await Promise.all(Array.from({ length: 70 }, () => report(reportOf('img-src'))))
  expect(new Set(statuses)).toEqual(new Set([204, 429]))
  expect(await countReports()).toBeLessThanOrEqual(60)
})
