import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Connection, connect } from '#server/database/connect.ts'
import { createTestDatabase } from '#server/testing/test-database.ts'
import { createInbox } from './inbox.ts'

let database: Awaited<ReturnType<typeof createTestDatabase>>
let connection: Connection
let synced: string[]
beforeAll(async () => {
  database = await createTestDatabase()
  connection = connect(database.url, () => {})
})
afterAll(async () => {
  await connection.close()
  await database.drop()
})
beforeEach(async () => {
  synced = []
  await connection.pool.query('delete from stripe_events')
})

const openInbox = () =>
  createInbox({
    db: connection.db,
    now: () => new Date(),
    stripe: {} as Parameters<typeof createInbox>[0]['stripe'],
    crashPoint: () => {},
    orders: {} as Parameters<typeof createInbox>[0]['orders'],
    sync: async (id) => {
      synced.push(id)
      if (id.startsWith('poison')) throw new Error('Stripe does not know this subscription')
    },
  })

type StoredEvents = { idPrefix: string; count: number; minutesAgo: number; lastError?: string }

/** Subscriptions whose id begins with `poison` can't be synced. */
const storeEvents = ({ idPrefix, count, minutesAgo, lastError }: StoredEvents) =>
  connection.pool.query(
    `insert into stripe_events (id, type, subscription_id, received_at, last_error)
     select $1 || n, 'invoice.paid', $1 || n, now() - make_interval(mins => $3), $4 from generate_series(1, $2::int) n`,
    [idPrefix, count, minutesAgo, lastError ?? null],
  )

test('events that keep failing don’t delay newer ones, however many they are', async () => {
  await storeEvents({ idPrefix: 'poison', count: 1200, minutesAgo: 60, lastError: 'failed before' })
  await storeEvents({ idPrefix: 'good', count: 3, minutesAgo: 1 })
  const failures: unknown[] = []
  await openInbox().handlePending((error) => failures.push(error))
  expect(synced.slice(0, 3)).toEqual(['good1', 'good2', 'good3'])
  const { rows } = await connection.pool.query('select id from stripe_events where handled_at is not null')
  expect(rows).toHaveLength(3)
  expect(failures).toHaveLength(1200)
})

test('a run stops when its time is used up, and the next run continues', async () => {
  await storeEvents({ idPrefix: 'late', count: 5, minutesAgo: 60 })
  await openInbox().handlePending(() => {}, 0)
  expect(synced.length).toBeLessThan(5)
  await openInbox().handlePending(() => {})
  expect(synced.toSorted()).toEqual(['late1', 'late2', 'late3', 'late4', 'late5'])
})

test('each event is tried once per run, even if it fails for the first time', async () => {
  await storeEvents({ idPrefix: 'poison-new', count: 2, minutesAgo: 60 })
  await storeEvents({ idPrefix: 'poison-old', count: 2, minutesAgo: 90, lastError: 'failed before' })
  await storeEvents({ idPrefix: 'good', count: 2, minutesAgo: 1 })
  await openInbox().handlePending(() => {})
  expect(synced.toSorted()).toEqual(['good1', 'good2', 'poison-new1', 'poison-new2', 'poison-old1', 'poison-old2'])
})
