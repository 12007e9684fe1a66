import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { access } from '#contract/access/access.ts'
import { accessAdmin } from '#contract/access/access-admin.ts'
import { tradingViewAdmin } from '#contract/access/tradingview-admin.ts'
import { dayMs } from '#contract/dates.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { accountsAdmin } from '#contract/identity/accounts-admin.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { purchasesAdmin } from '#contract/selling/purchases-admin.ts'
import { reboundSigmaPro } from '#server/testing/book-purchase.ts'
import { type ConnectedShop, openConnectedShop } from '#server/testing/connected-shop.ts'
import type { Visitor } from '#server/testing/visitor.ts'

let shop: ConnectedShop
let admin: Visitor
/** After each of the next n changes at TradingView, the process dies before it stores the change. */
let remainingCrashes = 0
beforeAll(async () => {
  shop = await openConnectedShop({
    crashPoint: (name) => {
      if (name !== 'tradingview acted' || remainingCrashes === 0) return
      remainingCrashes -= 1
      throw new Error('killed')
    },
  })
  admin = await shop.admin()
  await shop.tradingViewStandIn.controls.addByHand(shop.tradingViewStandIn.scripts.indicator, 'a_stranger_here')
  await shop.connection.pool.query(mailRecorder)
})
afterAll(() => shop.close())

type Person = {
  visitor: Visitor
  userId: string
  login: { email: string; password: string }
  names: string[]
  purchase?: { id: string; paymentIntentId: string | null }
  disputes: string[]
  /** True if the seller has declined this person or withholds their access. */
  isRefused: boolean
  /** Value of `isRefused` before the last unlock, which an undo restores. */
  wasRefused: boolean
  /** True if the last unlock was made by hand, so that an undo removes it by hand, too. */
  wasUnlockedByHand: boolean
}

const bookedByHand = { productId: reboundSigmaPro.id, billingType: 'monthly', amount: 3900, status: 'active' } as const

/** Ignores refusals of actions that are impossible at the moment. */
const attempt = (action: Promise<unknown>) => action.catch(() => undefined)

/** Events that the test combines at random. Each happens to one of two people, or to the connection. */
const events = {
  async buy(person: Person) {
    person.purchase = await shop.buy(person.visitor)
  },
  bookByHand: ({ userId }: Person) => admin.call(purchasesAdmin.add, { userId, ...bookedByHand }),
  gift: ({ userId }: Person) =>
    admin.call(purchasesAdmin.add, {
      userId,
      ...bookedByHand,
      kind: 'gift',
      endsAt: new Date(shop.clock.now().getTime() + 10 * dayMs).toISOString(),
    }),
  async name(person: Person) {
    const mine = await ownAccess(person)
    const username = newName(person)
    if (mine) await person.visitor.call(access.changeUsername, { purchaseId: mine.purchaseId, username })
  },
  /** Submits the form with the present username, or else with a new one. */
  async ask(person: Person) {
    const mine = await ownAccess(person)
    if (!mine) return
    const tradingViewUsername = mine.username ?? newName(person)
    const keys = { exchangeName: 'Binance', apiKey: 'key', secretKey: 'secret' }
    await person.visitor.call(access.submitForPurchase, { purchaseId: mine.purchaseId, tradingViewUsername, ...keys })
  },
  async rename(person: Person) {
    await admin.call(accessAdmin.rename, { id: await idOf(person), username: newName(person) })
  },
  decline: (person: Person) =>
    makeDecision(person, 'decline', async () => {
      person.isRefused = (await ownAccess(person))?.state === 'declined'
    }),
  withhold: (person: Person) =>
    makeDecision(person, 'withhold', async (isByHand) => {
      person.isRefused = true
      if (isByHand) await sellerOnTradingView.remove(person)
    }),
  grant: (person: Person) => unlock(person, 'grant'),
  restore: (person: Person) => unlock(person, 'restore'),
  /** Unlocks by hand although the connector works, as after its failures. */
  grantByHand: (person: Person) => unlock(person, 'grant', true),
  undo: (person: Person) =>
    makeDecision(person, 'undo', async (isByHand) => {
      person.isRefused = person.wasRefused
      if (isByHand || person.wasUnlockedByHand) await sellerOnTradingView.remove(person)
    }),
  lock: (person: Person) => makeDecision(person, 'lock', () => sellerOnTradingView.remove(person)),
  /** Lets the undo window of an unlock pass. */
  minute: () => shop.endUndoMinute(),
  cancel: ({ visitor, purchase }: Person) => visitor.call(purchases.cancel, { id: purchase?.id ?? '' }),
  resume: ({ visitor, purchase }: Person) => visitor.call(purchases.resume, { id: purchase?.id ?? '' }),
  end: ({ purchase }: Person) => admin.call(purchasesAdmin.cancel, { id: purchase?.id ?? '' }),
  refund: ({ purchase }: Person) => admin.call(purchasesAdmin.refund, { id: purchase?.id ?? '', refundedSoFar: 0 }),
  async dispute({ purchase, disputes }: Person) {
    disputes.push((await shop.sandbox.controls.openDispute(purchase?.paymentIntentId ?? '')).id)
  },
  win: ({ disputes }: Person) => shop.sandbox.controls.closeDispute(disputes.pop() ?? '', 'won'),
  lose: ({ disputes }: Person) => shop.sandbox.controls.closeDispute(disputes.pop() ?? '', 'lost'),
  noMoney: ({ visitor, purchase }: Person) =>
    shop.changeCard(visitor, purchase?.id ?? '', 'pm_card_chargeCustomerFail'),
  leave: ({ userId }: Person) => admin.call(accountsAdmin.delete, { id: userId }),
  /** The seller removes someone on TradingView's own page. */
  async removeByHand({ names }: Person) {
    const { controls, scripts } = shop.tradingViewStandIn
    await controls.removeByHand(scripts.indicator, names.at(-1) ?? '')
  },
  /** The seller sets another end date on TradingView's own page. */
  async redate({ names }: Person) {
    const { controls, scripts } = shop.tradingViewStandIn
    const name = names.at(-1)
    const isThere = (await controls.people(scripts.strategy)).some(({ username }) => username === name)
    if (name && isThere) await controls.addByHand(scripts.strategy, name, new Date(shop.clock.now().getTime() + dayMs))
  },
  month: () => shop.advance(1, 'month'),
  week: () => shop.advance(7, 'day'),
  async crash() {
    remainingCrashes += 1
  },
  logOut: () => shop.tradingViewStandIn.controls.endSession(),
  pause: () => admin.call(tradingViewAdmin.pause, {}),
  forget: () => admin.call(tradingViewAdmin.forget, {}),
  connect: () => connect(),
  dry: () => admin.call(tradingViewAdmin.settings, { mode: 'dry' }),
  lenient: () => admin.call(tradingViewAdmin.settings, { mode: 'grant' }),
}

const ownAccess = async ({ visitor }: Person) => (await visitor.call(access.mine, {}))[0]

function newName({ names }: Person): string {
  const username = `p${randomUUID().replaceAll('-', '')}`
  names.push(username)
  return username
}

async function idOf({ login }: Person): Promise<string> {
  const { items } = await admin.callPage(accessAdmin.people, { q: login.email })
  return items[0]?.id ?? ''
}

/** The seller's work on TradingView's own page, without a connector. */
const sellerOnTradingView = {
  unlock: async (person: Person) => {
    const { username } = (await ownAccess(person)) ?? {}
    if (!username) return
    // The to-do list names the replaced username beside the new one.
    await sellerOnTradingView.remove({ names: person.names.filter((name) => name !== username) })
    for (const pineId of Object.values(shop.tradingViewStandIn.scripts))
      await shop.tradingViewStandIn.controls.addByHand(pineId, username)
    unlockedByHand.add(username)
  },
  remove: async ({ names }: Pick<Person, 'names'>) => {
    for (const pineId of Object.values(shop.tradingViewStandIn.scripts))
      for (const name of names) await shop.tradingViewStandIn.controls.removeByHand(pineId, name)
  },
}
const unlockedByHand = new Set<string>()

/** Runs `then` only if the decision was possible. */
async function makeDecision(
  person: Person,
  decision: 'grant' | 'restore' | 'undo' | 'withhold' | 'lock' | 'decline',
  then: (isByHand: boolean) => Promise<unknown>,
  isDeclaredByHand = false,
) {
  const { state, mode, downSince } = await admin.call(tradingViewAdmin.show, {})
  const isDown = downSince !== null && shop.clock.now().getTime() - Date.parse(downSince) >= 10 * 60_000
  const isByHand = state !== 'on' || mode === 'dry' || isDown
  const ids = [await idOf(person)]
  if (decision === 'decline') await admin.call(accessAdmin.decline, { ids, reason: 'No', subscription: 'keep' })
  else if (decision === 'grant') await admin.call(accessAdmin.grant, { ids, byHand: isDeclaredByHand })
  else await admin.call(accessAdmin[decision], { ids })
  await then(isByHand)
}

const unlock = (person: Person, decision: 'grant' | 'restore', isDeclaredByHand = false) =>
  makeDecision(
    person,
    decision,
    async (isByHand) => {
      person.wasRefused = person.isRefused
      person.isRefused = false
      person.wasUnlockedByHand = isByHand || isDeclaredByHand
      if (person.wasUnlockedByHand) await sellerOnTradingView.unlock(person)
    },
    isDeclaredByHand,
  )

async function connect() {
  const { controls } = shop.tradingViewStandIn
  await controls.logIn()
  const cookies = await controls.cookies()
  await admin.call(tradingViewAdmin.connect, { cookies, host: 'sandbox', accepts: false })
  await admin.call(tradingViewAdmin.settings, { mode: 'full' })
}
const faults = ['limit', 'error', 'drop', 'pretend', 'broken', 'odd', 'html', 'robot', 'none'] as const

const anyOf = (...names: (keyof typeof events)[]) => fc.record({ what: fc.constantFrom(...names), who: fc.nat(1) })
const step = fc.oneof(
  { weight: 6, arbitrary: anyOf('buy', 'name', 'ask') },
  { weight: 7, arbitrary: anyOf('withhold', 'restore', 'grant', 'grantByHand', 'undo', 'decline', 'ask', 'minute') },
  { weight: 5, arbitrary: anyOf(...(Object.keys(events) as (keyof typeof events)[])) },
  { weight: 3, arbitrary: anyOf('pause', 'forget', 'connect', 'dry', 'lenient') },
  { weight: 2, arbitrary: fc.record({ what: fc.constantFrom(...faults.map((fault) => `fault ${fault}`)) }) },
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

async function runSteps(steps: Step[]): Promise<Person[]> {
  const people: Person[] = []
  for (let n = 0; n < 2; n++) {
    const { user, password, ...visitor } = await shop.user()
    const login = { email: user.email, password }
    people.push({
      visitor,
      userId: user.id,
      login,
      names: [],
      disputes: [],
      isRefused: false,
      wasRefused: false,
      wasUnlockedByHand: false,
    })
  }
  for (const nextStep of steps) {
    const person = 'who' in nextStep ? people[nextStep.who] : undefined
    if ('who' in nextStep && person) {
      await attempt(Promise.resolve(events[nextStep.what](person)))
      if (nextStep.what === 'month' || nextStep.what === 'week') await logInAgain(people)
      // After everything has ended, a new purchase starts without the seller's earlier decision.
      for (const each of people) if ((await paidUntil(each.userId)) === undefined) each.isRefused = false
    } else {
      const fault = nextStep.what.replace('fault ', '') as (typeof faults)[number]
      // The fault happens to 40% of the calls from here on.
      await shop.tradingViewStandIn.controls.behave({ always: fault, rate: 0.4 })
    }
  }
  return people
}

/** Sessions end during the weeks that pass. */
async function logInAgain(people: Person[]) {
  admin = await shop.admin()
  for (const { visitor, login } of people) await attempt(visitor.call(accounts.login, login))
}

async function settleEverything() {
  const { controls } = shop.tradingViewStandIn
  remainingCrashes = 0
  await controls.behave({})
  // Runs the job of a killed process again, like the next process would.
  await shop.connection.pool.query(`update jobs.job set start_after = now() where state = 'retry'`)
  await shop.settle()
  admin = await shop.admin()
  await connect()
  await shop.advance(61, 'minute')
  await shop.queue.runNow('announce-access')
  await shop.queue.runNow('tradingview-due')
  await shop.settle()
  await shop.queue.runNow('tradingview-reconcile')
  await shop.settle()
}

/** An independent implementation of docs/entitlements.md. Returns undefined without an entitlement, null if it has no end. */
async function paidUntil(userId: string): Promise<Date | null | undefined> {
  const { rows } = await shop.connection.pool.query<{ until: Date | null; is_disputed: boolean; held: Date | null }>(
    `select is_disputed, e.until as held, case status
         when 'active' then coalesce(ends_at, current_period_end + interval '3 days')
         when 'pending_cancel' then coalesce(ends_at, current_period_end)
         when 'past_due' then past_due_since + interval '14 days' end as until
     from purchases p join users u on u.id = p.user_id left join access e on e.user_id = p.user_id
     where p.user_id = $1 and u.deleted_at is null and not (is_disputed and e.reason is null) and status in ('active', 'pending_cancel', 'past_due')`,
    [userId],
  )
  if (rows.length === 0) return undefined
  // The entitlement during a dispute depends on the one before it, which `access` has.
  const ends = rows.map((row) => (row.is_disputed ? row.held : row.until))
  if (ends.includes(null)) return null
  return new Date(Math.max(...ends.map((end) => end?.getTime() ?? 0)))
}

async function checkLists(people: Person[]) {
  const { controls, scripts } = shop.tradingViewStandIn
  const { rows: accessRows } = await shop.connection.pool.query<{ user_id: string; name_key: string | null }>(
    'select user_id, name_key from access',
  )
  for (const pineId of [scripts.indicator, scripts.strategy]) {
    const listedPeople = await controls.people(pineId)
    const listedUntil = new Map(listedPeople.map(({ username, expiration }) => [username, expiration]))
    for (const { userId, names, isRefused } of people) {
      const until = await paidUntil(userId)
      const isPaid = until !== undefined && (until === null || until > shop.clock.now())
      const currentName = accessRows.find((row) => row.user_id === userId)?.name_key
      for (const name of names) {
        const isDue = isPaid && !isRefused && name === currentName
        const differenceMs = isDue ? Math.abs(Number(listedUntil.get(name)) - Number(until)) : 0
        const isDateRight = differenceMs < 60_000
        expect({ name, isListed: listedUntil.has(name), isDateRight }).toEqual({
          name,
          isListed: isDue,
          isDateRight: true,
        })
      }
    }
  }
  const changes = await shop.changes()
  const namesOfCall = (call: string) =>
    new Set(changes.filter((change) => change.call === call).map(({ username }) => username ?? ''))
  const [added, removed, redated] = [namesOfCall('add'), namesOfCall('remove'), namesOfCall('modify_user_expiration')]
  // Only usernames entered here are added, and only those the shop unlocked are removed or redated.
  expect([...added].filter((name) => !/^p[0-9a-f]{32}$/.test(name))).toEqual([])
  expect([...removed, ...redated].filter((name) => !added.has(name) && !unlockedByHand.has(name))).toEqual([])
}

/** A trigger that records the state of access with each email, in the transaction that queues the email. */
const mailRecorder = `
  create table recorded_mails (id serial, kind text, about jsonb, user_id uuid, state text, reason text, name_key text,
    unlocked_key text, name_problem text, may_be_undone boolean, is_live boolean, asked_at timestamptz);
  create function record_mail() returns trigger language plpgsql as $$ begin
    insert into recorded_mails (kind, about, user_id, state, reason, name_key, unlocked_key, name_problem, may_be_undone, is_live, asked_at)
    select new.data->>'kind', new.data->'data', u.id, a.state, a.reason, a.name_key, lower(a.unlocked_name), a.name_problem,
      a.undo_until is not null,
      exists (select from purchases p where p.user_id = u.id and p.status in ('active', 'pending_cancel', 'past_due')), a.asked_at
    from users u left join access a on a.user_id = u.id
    where u.email = coalesce(new.data->'data'->>'email', new.data->>'to');
    return null;
  end $$;
  create trigger record_mail after insert on jobs.job for each row when (new.name = 'mail') execute function record_mail()`

type RecordedMail = {
  kind: string
  about: { tradingViewUsername?: string; username?: string; staysUnlocked?: boolean }
  user_id: string
  state: string | null
  reason: string | null
  name_key: string | null
  unlocked_key: string | null
  name_problem: string | null
  may_be_undone: boolean
  is_live: boolean
  asked_at: Date | null
}
const isWaiting = ({ state, reason }: RecordedMail) => (state === 'asked' || state === 'unlocking') && reason !== null

const mayBeSent: Record<string, (mail: RecordedMail) => boolean> = {
  accessRequestReceived: isWaiting,
  accessRequested: isWaiting,
  accessUnlocked: ({ about, ...row }) =>
    row.state === 'unlocked' &&
    row.is_live &&
    !row.may_be_undone &&
    row.unlocked_key === about.tradingViewUsername?.toLowerCase() &&
    row.name_key === row.unlocked_key,
  accessEnded: ({ state, reason, unlocked_key }) => state === 'locked' && reason === null && unlocked_key === null,
  accessWithheld: ({ state, is_live }) => state === 'withheld' && is_live,
  accessDeclined: ({ about, state, is_live }) => state === (about.staysUnlocked ? 'unlocked' : 'declined') && is_live,
  nameNotFound: ({ about, name_problem, name_key, reason }) =>
    name_problem === 'not_found' && name_key === about.username?.toLowerCase() && reason !== null,
}

let checkedMails = 0
/** Every email is true when sent, and none is repeated. */
async function checkMails() {
  const { pool } = shop.connection
  const { rows } = await pool.query<RecordedMail>('delete from recorded_mails returning *')
  expect(rows.filter((mail) => mayBeSent[mail.kind]?.(mail) === false)).toEqual([])
  checkedMails += rows.length
  const requestMails = rows.filter(({ kind }) => kind.startsWith('accessRequest'))
  const occasions = requestMails.map(({ kind, user_id, asked_at }) => `${kind} ${user_id} ${asked_at?.getTime()}`)
  expect(new Set(occasions).size).toBe(occasions.length)
  const { rows: repeated } = await pool.query(
    `select e.* from (select *, lag(mail) over w as mail_before, lag(event) over w as event_before from access_events
       where event <> 'paid' window w as (partition by user_id order by id)) e
     where e.mail = e.mail_before and e.event = e.event_before and e.from_state = e.to_state`,
  )
  expect(repeated).toEqual([])
  const { rows: duplicates } = await pool.query(
    'select user_id, product_id from access group by 1, 2 having count(*) > 1',
  )
  expect(duplicates).toEqual([])
}

/** An example that random steps seldom find: both are withheld and granted again, and one grant is undone. */
const withheldThenGranted: Step[] = [0, 1].flatMap((who) => [
  ...(['buy', 'name', 'withhold', 'ask', 'grant'] as const).map((what) => ({ what, who })),
  { what: who === 0 ? ('minute' as const) : ('undo' as const), who },
])

test('after any sequence of events, TradingView lists exactly the entitled people, and foreign entries are untouched', async () => {
  let peopleOfLastRound: Person[] = []
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 24 }), async (steps) => {
      const people = await runSteps(steps)
      await settleEverything()
      await checkLists([...people, ...peopleOfLastRound])
      await checkMails()
      // Deletes these accounts; the next round checks that they are locked.
      for (const { userId } of people) await attempt(admin.call(accountsAdmin.delete, { id: userId }))
      peopleOfLastRound = people
    }),
    { numRuns: Number(process.env.RUNS ?? 4), endOnFailure: true, examples: [[withheldThenGranted]] },
  )
  expect(checkedMails).toBeGreaterThan(0)
})

test('two processes that sync the same username end with the same result', async () => {
  await using second = await openConnectedShop({
    databaseUrl: shop.config.databaseUrl ?? '',
    startsAt: shop.clock.now(),
    env: { DATA_DIR: shop.config.dataDir },
  })
  const buyer = await shop.namedBuyer('between_two_chairs')
  const { id } = buyer.purchase
  await Promise.all(
    Array.from({ length: 4 }, () => [
      attempt(buyer.call(access.recheck, { purchaseId: id })),
      attempt(buyer.call(purchases.cancel, { id })),
      attempt(buyer.call(purchases.resume, { id })),
    ]).flat(),
  )
  await attempt(buyer.call(purchases.resume, { id }))
  await second.settle()
  await shop.settle()
  const mine = await shop.accessOf(buyer)
  expect(mine).toMatchObject({ state: 'unlocked' })
  for (const pineId of Object.values(shop.tradingViewStandIn.scripts)) {
    const people = await shop.tradingViewStandIn.controls.people(pineId)
    const entries = people.filter(({ username }) => username === 'between_two_chairs')
    expect(entries.map(({ expiration }) => expiration?.toISOString())).toEqual([mine.until])
  }
})
