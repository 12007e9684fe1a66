import PostalMime from 'postal-mime'
import { afterAll, expect, test } from 'vitest'
import { audit } from '#contract/admin/activity.ts'
import { newsletters } from '#contract/site/newsletters.ts'
import { serviceMessages } from '#contract/site/service-messages.ts'
import { mailSuppressions } from '#server/database/schema.ts'
import { bookPurchase, reboundSigmaPro } from '#server/testing/book-purchase.ts'
import { openShop } from '#server/testing/open-shop.ts'
import { openSmtp } from '#server/testing/smtp.ts'

const sellerSettings = {
  PUBLIC_URL: 'http://localhost:3000',
  SELLER_NAME: 'Mia Muster',
  SELLER_STREET: 'Musterweg 1',
  SELLER_CITY: '4500 Solothurn',
  SELLER_COUNTRY: 'Switzerland',
}
const smtp = await openSmtp()
const shop = await openShop({ env: { ...sellerSettings, SUPPORT_EMAIL: 'help@shop.example', SMTP_URL: smtp.url } })
let admin = await shop.admin()
afterAll(async () => {
  await shop.close()
  await smtp.close()
})

const received = () =>
  Promise.all(smtp.accepted.map(async ({ to, source }) => ({ ...(await PostalMime.parse(source)), to })))

const productId = reboundSigmaPro.id
const message = {
  productId,
  reason: 'outage' as const,
  subject: 'Signals were late today',
  markdown: 'From 9 to 10 UTC, **no signals** were drawn.\n\n![chart](https://shop.test/chart.png)',
}
const audience = () => admin.call(serviceMessages.adminAudience, { productId })
const send = async (changes: object = {}) =>
  admin.call(serviceMessages.adminSend, { ...message, customers: (await audience()).customers, ...changes })
const suppress = (email: string, because: 'objected' | 'refused' | 'by_seller') =>
  shop.connection.db.insert(mailSuppressions).values({ email, because, at: new Date() })

test('a service message goes once to everyone with a live purchase, without consent, unless their mail server refused us', async () => {
  const addCustomer = async (values: Parameters<typeof bookPurchase>[2]) => {
    const { user } = await shop.user()
    await bookPurchase(shop.connection, user.id, values)
    return user.email
  }
  const bookedUntil = new Date(Date.now() + 86_400_000)
  const paid = (await shop.buyer()).user.email
  const imported = await addCustomer({ bookedAs: 'paid_elsewhere', bookedUntil })
  const cancelling = await addCustomer({ bookedAs: 'gift', status: 'pending_cancel' })
  const [objected, suppressed, refused] = [await addCustomer({}), await addCustomer({}), await addCustomer({})]
  await addCustomer({ status: 'cancelled' })
  await suppress(objected, 'objected')
  await suppress(suppressed, 'by_seller')
  await suppress(refused, 'refused')
  expect(await audience()).toEqual({ customers: 5, refused: 1, remaining: 4, missing: [] })

  expect(await send()).toEqual({ recipients: 5 })
  await shop.queue.waitUntilIdle()
  const messages = (await received()).filter(({ subject }) => subject === message.subject)
  expect(messages.map(({ to }) => to).toSorted()).toEqual([paid, imported, cancelling, objected, suppressed].toSorted())
  const [first] = messages
  expect(first?.text).toContain('about your subscription')
  expect(first?.text).not.toMatch(/unsubscribe/i)
  expect(first?.html).toContain('<img src="https://shop.test/chart.png" alt="chart"')

  expect(await admin.call(serviceMessages.adminList, {})).toMatchObject([
    { subject: message.subject, reason: 'outage', product: 'Rebound Sigma Pro', recipients: 5 },
  ])
  const [recorded] = await admin.call(audit.adminList, { q: 'service-message' })
  expect(recorded).toMatchObject({ action: 'service-message.send', detail: { reason: 'outage', recipients: 5 } })
})

test('a product’s customers get four messages in 30 days, besides security; a changed number of customers is refused', async () => {
  // The first of the four was sent by the test above.
  for (let sent = 1; sent < 4; sent += 1) await send()
  expect(await audience()).toMatchObject({ remaining: 0 })
  await expect(send()).rejects.toMatchObject({ code: 'too-soon' })
  await send({ reason: 'security' })
  await expect(send({ reason: 'security', customers: 1 })).rejects.toMatchObject({ code: 'changed-meanwhile' })
  shop.clock.advance({ days: 31 })
  admin = await shop.admin()
  expect(await audience()).toMatchObject({ remaining: 4 })
})

test('a test message goes only to its writer', async () => {
  const { to } = await admin.call(serviceMessages.adminTest, message)
  expect((await received()).at(-1)).toMatchObject({ to, subject: `[Test] ${message.subject}` })
})

test('a newsletter’s page counts the customers it does not reach, by reason', async () => {
  const { id } = await admin.call(newsletters.adminCreate, {
    subject: 'News',
    preheader: '',
    markdown: 'Hello',
    toSubscribers: false,
    buyersOf: productId,
  })
  const { audience: reached, unreachable } = await admin.call(newsletters.adminShow, { id })
  expect(unreachable).toMatchObject({ objected: 1, refused: 1, bySeller: 1 })
  const { untold, objected, refused, bySeller } = unreachable
  const customersOfProduct = await audience()
  const counted = reached + untold + objected + refused + bySeller
  expect(counted).toBe(customersOfProduct.customers + customersOfProduct.refused)
})
