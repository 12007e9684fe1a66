import { sql } from 'drizzle-orm'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { compareBooks } from '#server/testing/books.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'
import { createPostman, subscriptionEvent } from '#server/testing/webhooks.ts'

let shop: TestShop
let postman: ReturnType<typeof createPostman>
beforeEach(async () => {
  shop = await openShop()
  postman = createPostman({ url: shop.url, dataDir: shop.config.dataDir })
})
afterEach(() => shop.close())

const minute = 60
const now = () => Math.floor(Date.now() / 1000)

async function payWithoutWebhook(): Promise<string> {
  await shop.sandbox.controls.webhooks.behave({ drop: true })
  await shop.guest(shop.visitor())
  await shop.sandbox.controls.settle()
  const { rows } = await shop.connection.db.execute<{ data: object }>(
    sql`select data from sandbox.events where type = 'invoice.paid'`,
  )
  return JSON.stringify(rows[0]?.data)
}

/** Omits events about the catalog, which every start causes. */
async function readEffects() {
  const { booked } = await compareBooks(shop)
  const { rows: inbox } = await shop.connection.db.execute<{ id: string; handled: boolean }>(sql`
    select id, handled_at is not null as handled from stripe_events where type !~ '^(product|price)[.]'`)
  return { booked, inbox, mails: (await shop.mails()).map(({ subject }) => subject) }
}

test('a webhook signed by Stripe books the purchase', async () => {
  const event = await payWithoutWebhook()
  const response = await postman.post(event, postman.sign(event))
  expect(response.status).toBe(200)
  expect(await readEffects()).toMatchObject({ booked: [{ status: 'active' }], inbox: [{ handled: true }] })
})

type WebhookRequest = [body: string, signature?: string]
const refusedRequests: [kind: string, requestsFor: (event: string) => WebhookRequest[]][] = [
  ['an unsigned', (event) => [[event], [event, ''], [event, `t=${now()}`], ['']]],
  [
    'a forged',
    (event) => [
      [event, `t=${now()},v1=${'0'.repeat(64)}`],
      [event, postman.sign(event, { secret: 'whsec_of_somebody_else' })],
      [event, postman.sign(event, { scheme: 'v0' })],
      ['{}', postman.sign('{}')],
    ],
  ],
  [
    'a stale',
    (event) => {
      const stale = postman.sign(event, { timestamp: now() - 6 * minute })
      return [
        [event, stale],
        [event, stale.replace(/t=\d+/, `t=${now()}`)],
      ]
    },
  ],
  [
    'an altered',
    (event) => {
      const signature = postman.sign(event)
      return [
        [event.replace('invoice.paid', 'charge.refunded'), signature],
        [` ${event}`, signature],
        [event.slice(0, -1), signature],
      ]
    },
  ],
]

test.each(refusedRequests)('%s webhook is refused and leaves no trace', async (_kind, requestsFor) => {
  for (const [body, signature] of requestsFor(await payWithoutWebhook())) {
    const response = await postman.post(body, signature)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ message: 'This event is not signed by Stripe' })
  }
  expect(await readEffects()).toEqual({ booked: [], inbox: [], mails: [] })
})

test('a replayed webhook is accepted without effect', async () => {
  const event = await payWithoutWebhook()
  const signature = postman.sign(event)
  const replay = async (headers: string[]) =>
    Promise.all(headers.map(async (header) => (await postman.post(event, header)).status))

  expect(await replay(Array<string>(20).fill(signature))).toEqual(Array(20).fill(200))
  const effects = await readEffects()
  expect(effects).toMatchObject({ booked: [{ status: 'active' }], inbox: [{ handled: true }] })

  const signedTomorrow = postman.sign(event, { timestamp: now() + 24 * 60 * minute })
  expect(await replay([signature, postman.sign(event), signedTomorrow])).toEqual([200, 200, 200])
  expect(await readEffects()).toEqual(effects)
})

test('the content of a signed webhook isn’t trusted, because the state is read from Stripe', async () => {
  const event = await payWithoutWebhook()
  await postman.post(event, postman.sign(event))
  const effects = await readEffects()
  const invoice = JSON.parse(event).data.object as { parent: { subscription_details: { subscription: string } } }
  const falseEvent = await subscriptionEvent(shop.connection.db, invoice.parent.subscription_details.subscription, {
    type: 'customer.subscription.deleted',
    changes: { status: 'canceled', ended_at: now() },
  })
  expect((await postman.post(falseEvent, postman.sign(falseEvent))).status).toBe(200)
  const { booked, mails } = await readEffects()
  expect({ booked, mails }).toEqual({ booked: effects.booked, mails: effects.mails })
})
