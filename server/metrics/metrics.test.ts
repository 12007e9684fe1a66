import { afterAll, beforeAll, expect, test } from 'vitest'
import { catalog } from '#contract/selling/catalog.ts'
import { contact } from '#contract/site/contact.ts'
import { stripeEvents } from '../database/schema.ts'
import { openShop, type TestShop } from '../testing/open-shop.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await openShop({ env: { METRICS_TOKEN: 'a-long-token-of-the-seller' } })
})
afterAll(() => shop.close())

const read = async (headers: Record<string, string> = { authorization: 'Bearer a-long-token-of-the-seller' }) => {
  const response = await shop.visitor().fetch('/metrics', { headers })
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() }
}

test('requests are counted by route and status, jobs by kind and outcome', async () => {
  await shop.visitor().call(catalog.list, {})
  await shop.visitor().fetch('/api/products/nope')
  await shop.visitor().call(contact.send, { firstName: 'A', lastName: 'B', email: 'a@example.com', message: 'Hi' })
  await shop.queue.waitUntilIdle()
  const { status, type, text } = await read()
  expect([status, type]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8'])
  expect(text).toContain('shop_http_request_seconds_count{method="GET",route="/api/products",status="200"} 1\n')
  expect(text).toContain(
    'shop_http_request_seconds_bucket{le="+Inf",method="GET",route="/api/products/:slug",status="404"} 1\n',
  )
  expect(text).toContain('shop_job_runs_total{kind="mail",result="succeeded"} 1\n')
  expect(text).toContain('shop_database_up 1\n')
  expect(text).toContain('shop_processes 1\n')
})

test('a Stripe event that nobody has handled for 15 minutes is counted', async () => {
  const overdue = async () => /^shop_stripe_events_overdue (\d+)$/m.exec((await read()).text)?.[1]
  const event = (id: string, minutes: number, handledAt: Date | null) => ({
    id,
    type: 'invoice.paid',
    receivedAt: new Date(shop.clock.now().getTime() - minutes * 60_000),
    handledAt,
  })
  await shop.connection.db
    .insert(stripeEvents)
    .values([event('evt_new', 14, null), event('evt_done', 60, shop.clock.now())])
  expect(await overdue()).toBe('0')
  await shop.connection.db.insert(stripeEvents).values(event('evt_old', 16, null))
  expect(await overdue()).toBe('1')
})

test('every line is valid for Prometheus, and histogram buckets only grow', async () => {
  const lines = (await read()).text.split('\n').filter(Boolean)
  const sample = /^[a-z_]+(\{([a-z_]+="(\\.|[^"\\])*",?)+\})? [\d.e+-]+$/
  for (const line of lines) expect(line).toMatch(line.startsWith('#') ? /^# (HELP|TYPE) [a-z_]+ \S/ : sample)
  const buckets = lines.filter((line) => line.includes('route="/api/products",') && line.includes('_bucket'))
  const counts = buckets.map((line) => Number(line.split(' ').at(-1)))
  expect(counts).toHaveLength(11)
  expect(counts).toEqual(counts.toSorted((a, b) => a - b))
})

test('without the token you see nothing', async () => {
  for (const headers of [{}, { authorization: 'Bearer wrong' }, { authorization: '' }])
    expect((await read(headers)).status).toBe(404)
})
