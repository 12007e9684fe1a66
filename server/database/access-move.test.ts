import { readFileSync } from 'node:fs'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { reboundSigmaPro } from '#server/testing/book-purchase.ts'
import { createTestDatabase } from '../testing/test-database.ts'
import { migrate } from './migrate.ts'
import { readMigrations } from './migrations.ts'

const [, table = ''] = readFileSync(new URL('../../docs/access.md', import.meta.url), 'utf8').split(
  '## What became of the former tables',
)
const cases = table
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .slice(2)
  .map((line, index) => {
    const [request = '', paid = '', besides = '', state = ''] = line
      .split('|')
      .slice(1)
      .map((cell) => cell.trim())
    return {
      request,
      isPaid: paid === 'yes',
      besides,
      state,
      email: `case-${index}@example.com`,
      name: `case_${index}`,
    }
  })
type Case = (typeof cases)[number]

let database: Awaited<ReturnType<typeof createTestDatabase>>
let client: pg.Client
beforeAll(async () => {
  database = await createTestDatabase({ empty: true })
  const all = readMigrations()
  await migrate(
    database.url,
    all.slice(
      0,
      all.findIndex(({ tag }) => tag.endsWith('_access')),
    ),
    async () => {},
  )
  client = new pg.Client({ connectionString: database.url })
  await client.connect()
  const script = await insert('tv_scripts', { product_id: reboundSigmaPro.id, pine_id: 'PUB;1', name: 'Rebound' })
  for (const each of cases) await live(each, script)
  await migrate(database.url, all, async () => {})
})
afterAll(async () => {
  await client.end()
  await database.drop()
})

async function insert(into: string, values: Record<string, unknown>): Promise<string> {
  const columns = Object.keys(values)
  const { rows } = await client.query<{ id: string }>(
    `insert into ${into} (${columns.join()}) values (${columns.map((_, index) => `$${index + 1}`).join()}) returning id`,
    Object.values(values),
  )
  return rows[0]?.id ?? ''
}

/** Someone's life in the former tables. */
async function live({ request, isPaid, besides, email, name }: Case, script: string) {
  const isGone = besides === 'deleted person'
  const userId = await insert('users', {
    email,
    name: '',
    trading_view_username: isGone ? null : name,
    deleted_at: isGone ? new Date() : null,
  })
  const buy = (status: string) =>
    insert('purchases', {
      user_id: userId,
      product_id: reboundSigmaPro.id,
      billing_type: 'monthly',
      price: 3900,
      status,
    })
  const earlier = await buy('cancelled')
  const purchase = isPaid ? await buy('active') : earlier
  const isForEarlier = besides === 'for an earlier purchase'
  const isWithheld = besides === 'withheld'
  if (isWithheld || besides.startsWith('TradingView'))
    await insert('entitlements', {
      user_id: userId,
      product_id: reboundSigmaPro.id,
      reason: isWithheld ? null : 'renews',
      username: name,
      username_key: name,
      withheld_since: isWithheld ? new Date() : null,
    })
  if (besides.startsWith('TradingView'))
    await insert('tv_grants', {
      script_id: script,
      username_key: name,
      username: name,
      user_id: userId,
      is_ours: true,
      is_present: true,
      state: 'unlocked',
    })
  const ask = (status: string, minutes: number, username: string) =>
    insert('access_requests', {
      user_id: userId,
      purchase_id: isForEarlier ? earlier : purchase,
      exchange_name: 'Kraken',
      trading_view_username: username,
      status,
      reason: status === 'refused' ? 'No such name' : null,
      submitted_at: new Date(Date.now() - minutes * 60_000),
      decided_at: status === 'requested' ? null : new Date(),
      ended_at: !isPaid || isForEarlier ? new Date() : null,
    })
  if (besides === 'another name was granted') await ask('granted', 20, `${name}_before`)
  if (besides === 'refused before') await ask('refused', 20, name)
  if (request !== 'none') await ask(request, 10, name)
}

const found = async (email: string) => {
  const { rows } = await client.query(
    `select a.state, a.needs_decision, a.reason is not null as paid, a.unlocked_name, a.name_key, u.trading_view_username as name
     from users u left join access a on a.user_id = u.id where u.email = $1`,
    [email],
  )
  return rows[0]
}

const arriving = cases.filter(({ state }) => state !== 'no row')

test.for(arriving)(
  'request $request, paid $isPaid, $besides: $state',
  async ({ isPaid, besides, state, email, name }) => {
    const [expected, toDecide] = state.split(', ')
    const isMove = besides === 'another name was granted'
    const isGone = besides === 'deleted person'
    const wanted = isMove && expected === 'unlocked' ? `${name}_before` : name
    const open = expected === 'unlocked' || isMove ? (isMove ? `${name}_before` : name) : null
    expect(await found(email)).toEqual({
      state: expected,
      needs_decision: toDecide !== undefined,
      paid: isPaid,
      unlocked_name: open,
      name_key: isGone ? null : wanted,
      name: isGone ? null : wanted,
    })
  },
)

test('of somebody deleted who has nothing to be locked, nothing is kept', async () => {
  const gone = cases.filter(({ state }) => state === 'no row')
  for (const { email } of gone) expect(await found(email)).toMatchObject({ state: null })
})

test('what was asked and decided is in the history, and every form is there', async () => {
  const { rows } = await client.query(
    `select (select count(*)::int from access_forms) as forms, count(*) filter (where event = 'asked')::int as asked,
       count(*) filter (where event = 'declined')::int as declined from access_events`,
  )
  const asked = cases.filter(({ request }) => request !== 'none').length
  const more = cases.filter(({ besides }) => besides === 'another name was granted' || besides === 'refused before')
  const declined = cases.filter(({ request, besides }) => request === 'refused' || besides === 'refused before').length
  expect(rows).toEqual([{ forms: asked + more.length, asked: asked + more.length, declined }])
})
