import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { customers } from '#contract/admin/customers.ts'
import { openShop, type TestShop } from '../testing/open-shop.ts'
import { refusalsByIndex } from './unique.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await openShop()
})
afterAll(() => shop.close())

/** Unique indexes that no two people can violate. */
const withoutSentence = [
  // Upserts.
  'access_one',
  'newsletter_subscriptions_email_unique',
  'products_slug_unique',
  'reviews_one_each',
  'tv_people_name',
  'tv_scripts_pineId_unique',
  // Values that the shop or Stripe generates.
  'mrr_movements_corrects_unique',
  'mrr_movements_source',
  'newsletter_recipients_once',
  'orders_new',
  'orders_paymentIntentId_unique',
  'password_tokens_tokenHash_unique',
  'purchases_paymentIntentId_unique',
  'purchases_stripeSubscriptionId_unique',
  'sessions_tokenHash_unique',
]

test('every unique index has a sentence, or a reason why people never hit it', async () => {
  const { rows } = await shop.connection.pool.query<{ name: string }>(
    `select c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid
     join pg_namespace n on n.oid = c.relnamespace
     where i.indisunique and not i.indisprimary and n.nspname = 'public' order by 1`,
  )
  expect(rows.map(({ name }) => name).toSorted()).toEqual(
    [...Object.keys(refusalsByIndex), ...withoutSentence].toSorted(),
  )
})

test('an email address that somebody else takes between check and write is refused with a sentence', async () => {
  const admin = await shop.admin()
  const { user } = await shop.user()
  const email = 'wanted-by-two@example.com'
  const fasterClient = new pg.Client(shop.connection.url)
  await fasterClient.connect()
  await fasterClient.query('begin')
  await fasterClient.query(`insert into users (email, name) values ($1, 'Faster')`, [email])
  const correction = admin.call(customers.adminCorrectEmail, { id: user.id, email }).catch((error: unknown) => error)
  const countWaitingLocks = async () => {
    const { rows } = await shop.connection.pool.query(`select 1 from pg_locks where not granted`)
    return rows.length
  }
  await expect.poll(countWaitingLocks).toBeGreaterThan(0)
  await fasterClient.query('commit')
  await fasterClient.end()
  expect(await correction).toMatchObject({ status: 409 })
  expect(await admin.call(customers.adminShow, { id: user.id })).toMatchObject({ email: user.email })
})
