import { randomUUID } from 'node:crypto'
import { eq, sql } from 'drizzle-orm'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { privatePackage } from '#contract/access/package.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { codes } from '#contract/selling/codes.ts'
import { declarations } from '#contract/selling/declarations.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { isLive } from '#contract/statuses.ts'
import { mrrMovements, payments, refunds, purchases as rows } from '#server/database/schema.ts'
import { reboundSigmaPro } from '#server/testing/book-purchase.ts'
import { compareBooks } from '#server/testing/books.ts'
import { declared } from '#server/testing/declarations.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'
import { createPostman } from '#server/testing/webhooks.ts'
import { yearlyRevenue } from '#server/testing/yearly-revenue.ts'

let shop: TestShop
/** After how many more steps the process dies; never, if zero. */
let diesAfter = 0
beforeAll(async () => {
  shop = await openShop({
    crashPoint: (name) => {
      if (diesAfter > 0 && --diesAfter === 0) throw new Error(`killed: ${name}`)
    },
  })
})
afterAll(() => shop.close())

type Buyer = Awaited<ReturnType<TestShop['buyer']>>

const rowOf = async ({ purchase }: Pick<Buyer, 'purchase'>) => {
  const [row] = await shop.connection.db.select().from(rows).where(eq(rows.id, purchase.id))
  if (!row?.stripeSubscriptionId) throw new Error('It is gone')
  return { ...row, subscription: row.stripeSubscriptionId }
}

const stored = async (kind: string, subscription: string) =>
  (
    await shop.connection.db.execute<{ id: string; data: { status: string; amount: number } }>(sql`
      select o.id, o.data from sandbox.objects o where kind = ${kind}
      and o.data->'parent'->'subscription_details'->>'subscription' = ${subscription} order by seq desc`)
  ).rows

const chargesOf = async (customer: string) =>
  (
    await shop.connection.db.execute<{ intent: string; amount: number }>(sql`
      select data->>'payment_intent' as intent, (data->>'amount')::int as amount from sandbox.objects
      where kind = 'charge' and data->>'status' = 'succeeded' and data->>'customer' = ${customer} order by seq`)
  ).rows

const customerOf = async (subscription: string) =>
  (
    await shop.connection.db.execute<{ customer: string }>(
      sql`select data->>'customer' as customer from sandbox.objects where id = ${subscription}`,
    )
  ).rows[0]?.customer ?? ''

async function logIn(buyer: Buyer) {
  await buyer.call(accounts.login, { email: buyer.user.email, password: buyer.password })
}

async function listed(buyer: Buyer) {
  await logIn(buyer)
  return buyer.call(purchases.list, {})
}

/** Has Stripe tell the shop about a subscription again: it sends no event when the customer gets a credit. */
async function lookAgain({ subscription }: { subscription: string }) {
  const postman = createPostman({ url: shop.url, dataDir: shop.config.dataDir })
  const event = {
    id: `evt_${randomUUID()}`,
    object: 'event',
    type: 'customer.subscription.updated',
    created: Math.floor(Date.now() / 1000),
    data: { object: { id: subscription, object: 'subscription', customer: await customerOf(subscription) } },
  }
  const body = JSON.stringify(event)
  await postman.post(body, postman.sign(body))
  await shop.queue.idle()
}

test('a plan, a quantity, a discount and a credit given in Stripe’s dashboard are shown as what they are', async () => {
  const { dashboard } = shop.sandbox.controls
  const buyer = await shop.buyer()
  const { subscription } = await rowOf(buyer)
  await dashboard.setQuantity(subscription, 2)
  await dashboard.applyCoupon(subscription, { percent: 50, months: 3 })
  await dashboard.giveCredit(await customerOf(subscription), 1000)
  await shop.settle()
  await shop.queue.runNow('reconcile')
  expect(await listed(buyer)).toMatchObject([{ amount: 7800, nextAmount: 2900, billingType: 'monthly' }])
  await shop.advance(1, 'month')
  expect(await listed(buyer)).toMatchObject([{ amount: 7800, lastPaidAmount: 2900, nextAmount: 3900 }])
  const receipt = (await shop.mails()).findLast(({ to }) => to === buyer.user.email)
  expect(receipt?.text).toContain('$29.00')

  const yearly = await shop.buyer({ billing: 'yearly' })
  const { rows: found } = await shop.connection.db.execute<{ price: string }>(sql`
    select data->'items'->'data'->0->'price'->>'id' as price from sandbox.objects
    where id = ${(await rowOf(yearly)).subscription}`)
  await dashboard.changePrice(subscription, found[0]?.price ?? '')
  await shop.settle()
  // Both of them, at the yearly price; a first year, although the buyer is not new.
  expect(await listed(buyer)).toMatchObject([{ amount: 78_000, billingType: 'yearly' }])
  expect(await buyer.call(purchases.cancellation, { id: buyer.purchase.id })).toMatchObject({ refund: 0 })
})

test('a discount that the seller gave the customer counts where the subscription has none', async () => {
  const { dashboard } = shop.sandbox.controls
  const buyer = await shop.buyer()
  const { subscription } = await rowOf(buyer)
  await dashboard.applyCouponToCustomer(await customerOf(subscription), { percent: 10 })
  await lookAgain({ subscription })
  expect(await rowOf(buyer)).toMatchObject({ price: 3900, nextAmount: 3510 })
  await shop.advance(1, 'month')
  expect(await rowOf(buyer)).toMatchObject({ lastPaidAmount: 3510, nextAmount: 3510 })
  await dashboard.applyCoupon(subscription, { percent: 50 })
  await shop.settle()
  expect(await rowOf(buyer)).toMatchObject({ nextAmount: 1950 })
})

test('a small charge that goes back does not end what the whole period was paid for', async () => {
  const buyer = await shop.buyer()
  const { subscription } = await rowOf(buyer)
  await shop.sandbox.controls.dashboard.setQuantity(subscription, 2)
  await shop.settle()
  const small = (await chargesOf(await customerOf(subscription))).at(-1)
  await shop.sandbox.controls.refund(small?.intent ?? '')
  await shop.settle()
  expect(await listed(buyer)).toMatchObject([{ status: 'active', refundedAmount: small?.amount }])
})

test('a dispute that was prevented is lost, and an appeal does not undo that', async () => {
  const { controls } = shop.sandbox
  const buyers = [await shop.buyer(), await shop.buyer()]
  const disputes = []
  for (const { purchase } of buyers) disputes.push(await controls.openDispute(purchase.paymentIntentId ?? ''))
  await controls.closeDispute(disputes[0]?.id ?? '', 'prevented')
  await controls.closeDispute(disputes[1]?.id ?? '', 'lost')
  await controls.dashboard.moveDispute(disputes[1]?.id ?? '', 'appeal_needs_response')
  await shop.settle()
  for (const buyer of buyers)
    expect(await listed(buyer)).toMatchObject([{ status: 'cancelled', endedBecause: 'disputed' }])
})

test('an end beyond the paid period is no end yet: it renews until then', async () => {
  const buyer = await shop.buyer()
  const { subscription, currentPeriodEnd } = await rowOf(buyer)
  const later = Math.floor((currentPeriodEnd?.getTime() ?? 0) / 1000) + 40 * 86_400
  await shop.connection.db.execute(
    sql`update sandbox.objects set data = data || ${JSON.stringify({ cancel_at: later })}::jsonb where id = ${subscription}`,
  )
  await shop.advance(1, 'month')
  await shop.advance(1, 'day')
  expect(await rowOf(buyer)).toMatchObject({ status: 'active', nextAmount: 3900 })
  await shop.advance(1, 'month')
  expect(await rowOf(buyer)).toMatchObject({ status: 'pending_cancel', nextAmount: null })
})

test('one that was paused gives nothing, comes back by itself, and is a duplicate if its owner has another by then', async () => {
  const { controls } = shop.sandbox
  const buyer = await shop.buyer()
  await shop.confirm(buyer)
  const { subscription } = await rowOf(buyer)
  const told = async () =>
    (await shop.mails())
      .filter(({ to }) => to === buyer.user.email)
      .map(({ text }) => text)
      .join()
  await controls.pause(subscription)
  await shop.settle()
  expect(await listed(buyer)).toMatchObject([{ status: 'paused', nextAmount: null }])
  expect(await told()).toContain('nothing will be charged, and you have no access')
  await expect(buyer.call(privatePackage.show, {})).rejects.toMatchObject({ status: 403 })
  await expect(shop.begin(buyer)).rejects.toMatchObject({ status: 409 })
  await controls.dashboard.unpause(subscription)
  await shop.settle()
  expect(await listed(buyer)).toMatchObject([{ status: 'active' }])
  expect(await told()).toContain('Your pause is over')
  expect(await buyer.call(privatePackage.show, {})).toBeDefined()

  await controls.pause(subscription)
  await shop.settle()
  const admin = await shop.admin()
  await admin.call(purchases.adminAdd, {
    userId: buyer.user.id,
    productId: reboundSigmaPro.id,
    billingType: 'monthly',
    amount: 0,
    status: 'active',
  })
  await shop.advance(1, 'hour')
  await controls.dashboard.unpause(subscription)
  await shop.settle()
  await shop.settle()
  // Only what it was charged when it came back.
  expect(await rowOf(buyer)).toMatchObject({ endedBecause: 'duplicate', refundedAmount: 3900 })
  expect((await listed(buyer)).filter(({ status }) => isLive(status))).toHaveLength(1)
})

const movementsOf = ({ purchase }: Pick<Buyer, 'purchase'>) =>
  shop.connection.db
    .select()
    .from(mrrMovements)
    .where(eq(mrrMovements.purchaseId, purchase.id))
    .orderBy(mrrMovements.id)

/** What stands of the ledger: without rows that were taken back, and whatever the order of their coming. */
function standing(all: Awaited<ReturnType<typeof movementsOf>>) {
  const gone = new Set(all.map(({ corrects }) => corrects))
  return all
    .filter(({ id, corrects }) => corrects === null && !gone.has(id))
    .map(({ source, at, kind, cause, arrBefore, arrAfter }) => ({ source, at, kind, cause, arrBefore, arrAfter }))
    .toSorted((a, b) => a.at.getTime() - b.at.getTime() || a.arrBefore - b.arrBefore)
}

/** As if the shop had never seen any of it; the ledger itself would refuse. */
const forgetMovements = (id: string) =>
  shop.connection.db.transaction(async (tx) => {
    await tx.execute(sql`alter table mrr_movements disable trigger user`)
    await tx.delete(mrrMovements).where(eq(mrrMovements.purchaseId, id))
    await tx.execute(sql`alter table mrr_movements enable trigger user`)
  })

const deeds = [
  'a month passes',
  'the next renewal fails',
  'the process dies at its next step',
  'the process dies later',
  'seller changes the plan',
  'seller sets the quantity',
  'seller gives a discount',
  'seller gives the customer a discount',
  'seller gives a credit',
  'seller gives time',
  'seller pauses',
  'seller resumes',
  'seller refunds a part',
  'bank sends a refund back',
  'seller writes the invoice off',
  'seller was paid elsewhere',
  'bank opens a dispute',
  'buyer cancels',
  'buyer resumes',
  'buyer switches to yearly, in two windows',
  'buyer switches with a card whose bank asks',
  'the bank gets its answer',
  'buyer withdraws',
] as const

type Bill = {
  id: string
  status: string
  status_transitions: { paid_at: number }
  lines: {
    data: {
      amount: number
      period: { start: number; end: number }
      parent: { subscription_item_details: { proration: boolean } }
    }[]
  }
}
type Charged = {
  amount: number
  created: number
  invoice: string
  refunded: number
  bounced: boolean
  disputed: boolean
}

/** The oracle of a withdrawal: all the money of the first two weeks; later, whatever time since the last order has cost. */
async function dueByWithdrawal(subscription: string, customer: string) {
  const read = async <Row extends Record<string, unknown>>(query: ReturnType<typeof sql>) =>
    (await shop.connection.db.execute<Row>(query)).rows
  const bills = (await stored('invoice', subscription))
    .map(({ data }) => data as unknown as Bill)
    .filter(({ status }) => status === 'paid')
    .flatMap((bill) => {
      const whole = bill.lines.data.find((each) => each.amount > 0 && !each.parent.subscription_item_details.proration)
      return whole ? { ...bill, ...whole.period, isYear: whole.period.end - whole.period.start > 300 * 86_400 } : []
    })
    .toSorted((a, b) => b.start - a.start)
  const other = bills.findIndex(({ isYear }) => isYear !== bills[0]?.isYear)
  const [first, last] = [bills.at(-1), bills.at(other < 0 ? -1 : other - 1)]
  const charges = await read<Charged>(sql`
    select (c.data->>'amount')::int as amount, (c.data->>'created')::int as created, p.data->>'invoice' as invoice,
      (c.data->>'amount_refunded')::int as refunded, (c.data->>'disputed')::boolean as disputed,
      exists (select from sandbox.objects r where r.kind = 'refund' and r.data->>'charge' = c.id and r.data->>'status' = 'failed') as bounced
    from sandbox.objects c join sandbox.objects p on p.kind = 'invoice_payment'
      and p.data->'payment'->>'payment_intent' = c.data->>'payment_intent'
    where c.kind = 'charge' and c.data->>'status' = 'succeeded' and c.data->>'customer' = ${customer} order by c.seq desc`)
  const now = await shop.sandbox.controls.now()
  const isOpen = (bill: Bill | undefined) => bill && now < bill.status_transitions.paid_at + 15 * 86_400
  if (!first || !last || !isOpen(last)) return 0
  const credit = -last.lines.data.reduce((sum, { amount }) => sum + Math.min(amount, 0), 0)
  const isEarlier = ({ created, invoice }: Charged) => created < last.status_transitions.paid_at && invoice !== last.id
  const before = charges.find(isEarlier)
  return charges.reduce((sum, charge) => {
    const { amount, refunded, disputed, bounced } = charge
    const due = isOpen(first) || !isEarlier(charge) ? amount : charge === before ? Math.min(amount, credit) : 0
    return sum + (disputed || bounced ? 0 : Math.max(0, due - refunded))
  }, 0)
}

/** A life of one subscription. Returns what the buyer was told, and what was refunded by whose decision. */
async function liveThrough(buyer: Buyer, story: (typeof deeds)[number][]) {
  const { controls } = shop.sandbox
  const { dashboard } = controls
  const admin = await shop.admin()
  const { id } = buyer.purchase
  const { subscription } = await rowOf(buyer)
  const customer = await customerOf(subscription)
  const told: [said: number | null, charged: number][] = []
  let decided = 0
  const priceOf = async (billing: string) =>
    (
      await shop.connection.db.execute<{ id: string }>(
        sql`select id from sandbox.objects where data->>'lookup_key' = ${`rebound-sigma-pro-${billing}`}`,
      )
    ).rows[0]?.id ?? ''
  const openInvoice = async () =>
    (await stored('invoice', subscription)).find(({ data }) => data.status === 'open')?.id ?? ''
  const acts: Record<(typeof deeds)[number], () => Promise<unknown>> = {
    'a month passes': async () => {
      await shop.settle()
      await shop.queue.runNow('reconcile')
      const before = await rowOf(buyer)
      const paid = (await chargesOf(customer)).length
      await shop.advance(1, 'month')
      const renewed = (await chargesOf(customer)).slice(paid)
      if (before.status === 'active') for (const { amount } of renewed) told.push([before.nextAmount, amount])
    },
    'the next renewal fails': () => controls.failNextRenewal(subscription),
    'the process dies at its next step': async () => {
      diesAfter = 1
    },
    'the process dies later': async () => {
      diesAfter = 3
    },
    'seller changes the plan': async () =>
      dashboard.changePrice(
        subscription,
        await priceOf((await rowOf(buyer)).billingType === 'monthly' ? 'yearly' : 'monthly'),
      ),
    'seller sets the quantity': () => dashboard.setQuantity(subscription, 2),
    'seller gives a discount': () => dashboard.applyCoupon(subscription, { percent: 30, months: 2 }),
    'seller gives the customer a discount': async () => {
      await dashboard.applyCouponToCustomer(customer, { percent: 20 })
      await lookAgain({ subscription })
    },
    'seller gives a credit': async () => {
      await dashboard.giveCredit(customer, 5000)
      await lookAgain({ subscription })
    },
    'seller gives time': async () => {
      const until = new Date(((await rowOf(buyer)).currentPeriodEnd?.getTime() ?? 0) + 10 * 86_400_000)
      await admin.call(purchases.adminExtend, { id, until: until.toISOString().slice(0, 10) })
    },
    'seller pauses': () => controls.pause(subscription),
    'seller resumes': () => dashboard.unpause(subscription),
    'seller refunds a part': async () => {
      await admin.call(purchases.adminRefund, { id, amount: 300, refundedSoFar: (await rowOf(buyer)).refundedAmount })
      decided += 300
    },
    'bank sends a refund back': async () => {
      const { rows: sent } = await shop.connection.db.execute<{ id: string; amount: number }>(sql`
        select r.id, (r.data->>'amount')::int as amount from sandbox.objects r join sandbox.objects c
        on c.id = r.data->>'charge' where r.kind = 'refund' and r.data->>'status' = 'succeeded'
        and c.data->>'customer' = ${customer} order by r.seq desc limit 1`)
      await controls.failRefund(sent[0]?.id ?? '')
      decided -= sent[0]?.amount ?? 0
    },
    'seller writes the invoice off': async () => dashboard.markUncollectible(await openInvoice()),
    'seller was paid elsewhere': async () => dashboard.payOutOfBand(await openInvoice()),
    'bank opens a dispute': () => controls.openDispute(buyer.purchase.paymentIntentId ?? ''),
    'buyer cancels': async () => {
      await logIn(buyer)
      await buyer.call(purchases.cancel, { id })
    },
    'buyer resumes': async () => {
      await logIn(buyer)
      await buyer.call(purchases.resume, { id })
    },
    'buyer switches to yearly, in two windows': () => switchTo((order) => Promise.allSettled([order(), order()])),
    'buyer switches with a card whose bank asks': async () => {
      await logIn(buyer)
      const { clientSecret } = await buyer.call(purchases.beginCardUpdate, { id })
      const setupIntentId = await shop.storeCard(clientSecret, 'pm_card_authenticationRequired')
      await controls.authenticate(setupIntentId, 'complete')
      await buyer.call(purchases.finishCardUpdate, { id, setupIntentId })
      await switchTo((order) => order())
    },
    'the bank gets its answer': async () => {
      const { rows: asking } = await shop.connection.db.execute<{ id: string; amount: number }>(sql`
        select id, (data->>'amount')::int as amount from sandbox.objects where kind = 'payment_intent'
        and data->>'status' = 'requires_action' and data->>'customer' = ${customer}`)
      await controls.authenticate(asking[0]?.id ?? '', 'complete')
    },
    'buyer withdraws': async () => {
      diesAfter = 0
      await shop.settle()
      await shop.queue.runNow('reconcile')
      await logIn(buyer)
      const due = await dueByWithdrawal(subscription, customer)
      await buyer.call(declarations.withdraw, declared(buyer.user.email))
      decided += due
      await shop.settle()
    },
  }
  /** Whatever comes of it, what is charged is what was offered, and once. */
  async function switchTo(act: (order: () => Promise<unknown>) => Promise<unknown>) {
    await logIn(buyer)
    const { at, due } = await buyer.call(purchases.switchOffer, { id })
    const paid = (await chargesOf(customer)).length
    await act(() => buyer.call(purchases.switch, { id, at, amount: due })).catch(() => {})
    const [first, ...more] = (await chargesOf(customer)).slice(paid)
    if (first) told.push([due, first.amount])
    for (const { amount } of more) told.push([null, amount])
  }
  for (const deed of story) {
    await admin.call(accounts.login, { email: admin.user.email, password: admin.password })
    // Much of it is refused in one state or another.
    await acts[deed]().catch(() => {})
  }
  return { told, decided, customer }
}

const asked = { seed: 1, drop: false, shortens: true }
/** Bought with a code: what it takes off, and for how many months (0: once). */
const worths = [
  null,
  { percentOff: 20, months: 0 },
  { percentOff: 15, months: 3 },
  { amountOff: 500 },
  { amountOff: 700, months: 2 },
] as const
type Worth = (typeof worths)[number]

async function makeCode(worth: Worth) {
  if (!worth) return undefined
  const code = `CODE-${randomUUID().slice(0, 8)}`.toUpperCase()
  await (await shop.admin()).call(codes.adminAdd, { code, ...worth })
  return code
}

const lives: [typeof asked, 'monthly' | 'yearly', Worth, (typeof deeds)[number][]][] = [
  [
    asked,
    'monthly',
    worths[2],
    ['a month passes', 'buyer cancels', 'buyer resumes', 'seller gives time', 'a month passes', 'a month passes'],
  ],
  [
    asked,
    'monthly',
    null,
    ['seller refunds a part', 'seller refunds a part', 'bank sends a refund back', 'a month passes'],
  ],
  [asked, 'monthly', worths[1], ['seller gives the customer a discount', 'seller gives a credit', 'a month passes']],
  [
    { ...asked, drop: true },
    'monthly',
    worths[3],
    ['a month passes', 'seller sets the quantity', 'the process dies later', 'seller changes the plan'],
  ],
  [
    asked,
    'monthly',
    worths[2],
    ['a month passes', 'buyer switches to yearly, in two windows', 'buyer cancels', 'buyer resumes', 'buyer withdraws'],
  ],
  [
    { ...asked, drop: true },
    'monthly',
    worths[3],
    [
      'seller gives a credit',
      'buyer switches with a card whose bank asks',
      'the bank gets its answer',
      'bank opens a dispute',
    ],
  ],
  [
    asked,
    'yearly',
    worths[4],
    ['the process dies at its next step', 'buyer cancels', 'buyer resumes', 'seller pauses'],
  ],
]

test('whatever buyer, seller, bank and dashboard do: charged as said, refunded as decided, and one look at the end says it all', {
  timeout: 480_000,
}, async () => {
  const { controls } = shop.sandbox
  await fc.assert(
    fc.asyncProperty(
      fc.record({ seed: fc.integer({ min: 1, max: 1e6 }), drop: fc.boolean(), shortens: fc.boolean() }),
      fc.constantFrom('monthly' as const, 'yearly' as const),
      fc.constantFrom(...worths),
      fc.array(fc.constantFrom(...deeds), { minLength: 3, maxLength: 9 }),
      async (quirks, billing, worth, story) => {
        const buyer = await shop.buyer({ billing, code: await makeCode(worth) })
        await controls.behave({ ...quirks, duplicates: 0.3, spread: 1 })
        const { told, decided, customer } = await liveThrough(buyer, story)
        const seenSoFar = await movementsOf(buyer)
        diesAfter = 0
        await controls.behaveAsUsual()
        await shop.settle()
        // What a kill cut short is tried again after a second or a few.
        const { pool } = shop.connection
        const retried = async () =>
          (await pool.query(`select name from jobs.job where state in ('retry', 'active')`)).rows
        await expect.poll(retried, { timeout: 60_000 }).toEqual([])
        await shop.queue.runNow('reconcile')
        await shop.settle()

        expect(told.filter(([said, charged]) => said !== charged)).toEqual([])
        const row = await rowOf(buyer)
        expect(row.refundedAmount).toBe(decided)
        // What came back is the seller's to settle, and listed.
        const needy = await (await shop.admin()).call(purchases.adminList, { need: 'failed_refunds' })
        expect(needy.some(({ id }) => id === row.id)).toBe(row.failedRefunds > 0)
        const { booked, wanted } = await compareBooks(shop)
        expect(booked.find(({ id }) => id === row.subscription)).toEqual(
          wanted.find(({ id }) => id === row.subscription),
        )
        // No row of the ledger changes, and its sum at any moment is what a slow look at all invoices says.
        const ledger = await movementsOf(buyer)
        expect(ledger.slice(0, seenSoFar.length)).toEqual(seenSoFar)
        const now = await controls.now()
        const { arrAt, moments } = await yearlyRevenue(shop.connection, row.subscription, now)
        const sumAt = (t: number) =>
          ledger.reduce(
            (sum, { at, arrBefore, arrAfter }) => sum + (at.getTime() <= t * 1000 ? arrAfter - arrBefore : 0),
            0,
          )
        expect(moments.map((t) => [t, sumAt(t)])).toEqual(moments.map((t) => [t, arrAt(t)]))
        expect(row.arr).toBe(sumAt(now))
        const kept = await shop.connection.db
          .select({ amount: payments.amount })
          .from(payments)
          .where(eq(payments.purchaseId, row.id))
        const charges = (await chargesOf(customer)).map(({ amount }) => amount)
        expect(kept.map(({ amount }) => amount).toSorted((a, b) => a - b)).toEqual(charges.toSorted((a, b) => a - b))
        await logIn(buyer)
        const opened = buyer.call(privatePackage.show, {}).then(
          () => true,
          () => false,
        )
        expect(await opened).toBe(isLive(row.status))

        // A shop that saw nothing of it, and asks once.
        await forgetMovements(row.id)
        await shop.connection.db.transaction(async (tx) => {
          await tx.execute(sql`set local shop.clears_test_data = 'on'`)
          await tx.delete(refunds)
          await tx.delete(payments).where(eq(payments.purchaseId, row.id))
        })
        await shop.connection.db
          .update(rows)
          .set({
            billingType: 'monthly',
            price: 1,
            lastPaidAmount: null,
            nextAmount: null,
            laterAmount: null,
            laterAt: null,
            orderedAt: null,
            paidFrom: null,
            paidUntil: null,
            givenUntil: null,
            refundedAmount: 0,
            arr: 0,
          })
          .where(eq(rows.id, row.id))
        await lookAgain(row)
        expect(await rowOf(buyer)).toEqual(row)
        expect(standing(await movementsOf(buyer))).toEqual(standing(ledger))
      },
    ),
    // What chance may miss in a few lives, then chance.
    { examples: lives, numRuns: lives.length + 2, endOnFailure: true },
  )
})
