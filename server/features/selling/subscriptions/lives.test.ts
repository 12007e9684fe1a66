import { randomUUID } from 'node:crypto'
import { and, eq, gt, isNotNull, isNull, or, sql } from 'drizzle-orm'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { privatePackage } from '#contract/access/package.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { priceAfterDiscount } from '#contract/selling/charges.ts'
import { codes } from '#contract/selling/codes.ts'
import { declarations } from '#contract/selling/declarations.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { purchasesAdmin } from '#contract/selling/purchases-admin.ts'
import { isLive } from '#contract/statuses.ts'
import { access, mrrMovements, payments, refunds, purchases as rows } from '#server/database/schema.ts'
import { atStripe } from '#server/testing/at-stripe.ts'
import { compareBooks } from '#server/testing/books.ts'
import { declared } from '#server/testing/declarations.ts'
import { lives } from '#server/testing/lives.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'
import { type Offered, paidTime, type StoredLine } from '#server/testing/paid-time.ts'
import { yearlyRevenue } from '#server/testing/yearly-revenue.ts'

let shop: TestShop
/** Crash points until the simulated crash; 0 for no crash. */
let stepsUntilCrash = 0
beforeAll(async () => {
  shop = await openShop({
    crashPoint: (name) => {
      if (stepsUntilCrash > 0 && --stepsUntilCrash === 0) throw new Error(`killed: ${name}`)
    },
  })
  stripe = atStripe(shop)
})
afterAll(() => shop.close())

type Buyer = Awaited<ReturnType<TestShop['buyer']>>
const { rowOf, chargesOf, customerOf, logIn, lookAgain } = lives(() => shop)
let stripe: ReturnType<typeof atStripe>

/** Newest first. */
async function storedInvoices(subscription: string) {
  const { rows: found } = await shop.connection.db.execute<{ id: string; data: Invoice }>(sql`
    select o.id, o.data from sandbox.objects o where kind = 'invoice'
    and o.data->'parent'->'subscription_details'->>'subscription' = ${subscription} order by seq desc`)
  return found
}

const movementsOf = ({ purchase }: Pick<Buyer, 'purchase'>) =>
  shop.connection.db
    .select()
    .from(mrrMovements)
    .where(eq(mrrMovements.purchaseId, purchase.id))
    .orderBy(mrrMovements.id)

/** Movements without corrected rows and their corrections, oldest first. */
function effectiveMovements(movements: Awaited<ReturnType<typeof movementsOf>>) {
  const correctedIds = new Set(movements.map(({ corrects }) => corrects))
  return movements
    .filter(({ id, corrects }) => corrects === null && !correctedIds.has(id))
    .map(({ source, at, kind, cause, arrBefore, arrAfter }) => ({ source, at, kind, cause, arrBefore, arrAfter }))
    .toSorted((a, b) => a.at.getTime() - b.at.getTime() || a.arrBefore - b.arrBefore)
}

const deleteMovements = (id: string) =>
  shop.connection.db.transaction(async (tx) => {
    await tx.execute(sql`alter table mrr_movements disable trigger user`)
    await tx.delete(mrrMovements).where(eq(mrrMovements.purchaseId, id))
    await tx.execute(sql`alter table mrr_movements enable trigger user`)
  })

const actions = [
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
  'a refund fails',
  'seller adds an item to the next invoice',
  'seller stops collecting',
  'seller collects again',
  'seller refunds the last payment',
  'seller writes the invoice off',
  'seller voids the invoice',
  'seller was paid elsewhere',
  'bank opens a dispute',
  'bank only asks about a payment',
  'bank decides for the buyer',
  'bank decides for the seller',
  'bank prevents a dispute over the last payment',
  'webhooks are lost',
  'buyer pays the open invoice',
  'buyer cancels',
  'buyer resumes',
  'buyer switches to yearly, in two windows',
  'buyer switches with a card whose bank asks',
  'the bank gets its answer',
  'buyer withdraws',
] as const

type Invoice = { id: string; status: string; status_transitions: { paid_at: number }; lines: { data: StoredLine[] } }
type Charge = {
  amount: number
  created: number
  invoice: string
  refunded: number
  /** A refund of it failed. */
  isBounced: boolean
  /** A dispute of it is open or lost. */
  isDisputed: boolean
}

/** Newest first. */
async function readCharges(customer: string) {
  const { rows: charges } = await shop.connection.db.execute<Charge>(sql`
    select (c.data->>'amount')::int as amount, (c.data->>'created')::int as created, p.data->>'invoice' as invoice,
      (c.data->>'amount_refunded')::int as refunded, exists (select from sandbox.objects d where d.kind = 'dispute'
        and d.data->>'charge' = c.id and d.data->>'status' !~ '^(won|warning_.*)$') as "isDisputed",
      exists (select from sandbox.objects r where r.kind = 'refund' and r.data->>'charge' = c.id and r.data->>'status' = 'failed') as "isBounced"
    from sandbox.objects c join sandbox.objects p on p.kind = 'invoice_payment'
      and p.data->'payment'->>'payment_intent' = c.data->>'payment_intent'
    where c.kind = 'charge' and c.data->>'status' = 'succeeded' and c.data->>'customer' = ${customer} order by c.seq desc`)
  return charges
}

/** The paid invoice of the first order, and of the latest one, with which the buyer chose the present plan. */
async function findOrderInvoices(subscription: string) {
  const planInvoices: (Invoice & { startsAt: number; isYear: boolean })[] = []
  for (const { data: invoice } of await storedInvoices(subscription)) {
    const planLine = invoice.lines.data.find(
      (line) => line.amount > 0 && line.parent.subscription_item_details?.proration === false,
    )
    if (invoice.status !== 'paid' || !planLine) continue
    const { start, end } = planLine.period
    planInvoices.push({ ...invoice, startsAt: start, isYear: end - start > 300 * 86_400 })
  }
  const newestFirst = planInvoices.toSorted((a, b) => b.startsAt - a.startsAt)
  const otherPlanIndex = newestFirst.findIndex(({ isYear }) => isYear !== newestFirst[0]?.isYear)
  const onPresentPlan = otherPlanIndex < 0 ? newestFirst : newestFirst.slice(0, otherPlanIndex)
  return { firstOrder: newestFirst.at(-1), latestOrder: onPresentPlan.at(-1) }
}

/** Every payment within two weeks of the first order; later, only the payments since the latest order. */
async function expectedWithdrawalRefund(subscription: string, customer: string) {
  const { firstOrder, latestOrder } = await findOrderInvoices(subscription)
  const charges = await readCharges(customer)
  // The law's 14 days, and one more because of time zones.
  const withdrawalSeconds = 15 * 86_400
  const now = await shop.sandbox.controls.now()
  const isWithdrawable = (invoice: Invoice) => now < invoice.status_transitions.paid_at + withdrawalSeconds
  if (!firstOrder || !latestOrder || !isWithdrawable(latestOrder)) return 0

  let credit = 0
  for (const { amount } of latestOrder.lines.data) if (amount < 0) credit -= amount
  const isBeforeLatestOrder = ({ created, invoice }: Charge) =>
    created < latestOrder.status_transitions.paid_at && invoice !== latestOrder.id
  const creditedCharge = charges.find(isBeforeLatestOrder)

  let refund = 0
  for (const charge of charges) {
    const { amount, refunded, isDisputed, isBounced } = charge
    if (isDisputed || isBounced) continue
    const isFullyDue = isWithdrawable(firstOrder) || !isBeforeLatestOrder(charge)
    const creditDue = charge === creditedCharge ? Math.min(amount, credit) : 0
    const due = isFullyDue ? amount : creditDue
    refund += Math.max(0, due - refunded)
  }
  return refund
}

async function refundedToCustomer(customer: string) {
  const { rows: found } = await shop.connection.db.execute<{ sum: number }>(sql`
    select coalesce(sum((data->>'amount_refunded')::int), 0)::int as sum from sandbox.objects
    where kind = 'charge' and data->>'customer' = ${customer}`)
  return found[0]?.sum ?? 0
}

/** Fails if the buyer has access without a reason, or has paid and lacks it. Returns true with access. */
async function checkAccess(buyer: Buyer) {
  const { subscription, userId } = await rowOf(buyer)
  const now = await shop.sandbox.controls.now()
  const { reasons, hasPaid } = await paidTime(shop.connection, subscription, now)
  const canOpenPackage = await buyer.call(privatePackage.show, {}).then(
    () => true,
    () => false,
  )
  const entitlesNow = and(
    eq(access.userId, userId),
    isNotNull(access.reason),
    or(isNull(access.until), gt(access.until, new Date(now * 1000))),
  )
  const hasEntitlement = (await shop.connection.db.$count(access, entitlesNow)) > 0
  const accessWithoutReason = reasons.length === 0 && (canOpenPackage || hasEntitlement)
  expect({ reasons, accessWithoutReason }).toEqual({ reasons, accessWithoutReason: false })
  const paidWithoutAccess = hasPaid && !canOpenPackage
  expect({ reasons, paidWithoutAccess }).toEqual({ reasons, paidWithoutAccess: false })
  return canOpenPackage
}

async function performStory(buyer: Buyer, story: (typeof actions)[number][]) {
  const { controls } = shop.sandbox
  const { dashboard } = controls
  const admin = await shop.admin()
  const { id } = buyer.purchase
  const { subscription } = await rowOf(buyer)
  const customer = await customerOf(subscription)
  const announcedAndCharged: [announced: number | null, charged: number][] = []
  let [expectedRefunds, giftedAmount, itemsOnNextInvoice] = [0, 0, 0]
  let hasLostPaidTime = false
  const isPaidAndRunning = async () => {
    const [newestInvoice] = await storedInvoices(subscription)
    return newestInvoice?.data.status === 'paid' && (await stripe.object(subscription))?.status === 'active'
  }
  const priceOf = async (billing: string) => {
    const { rows: prices } = await shop.connection.db.execute<{ id: string }>(
      sql`select id from sandbox.objects where data->>'lookup_key' = ${`rebound-sigma-pro-${billing}`}`,
    )
    return prices[0]?.id ?? ''
  }
  const openInvoice = async () =>
    (await storedInvoices(subscription)).find(({ data }) => data.status === 'open')?.id ?? ''
  const latestIntent = async () => (await chargesOf(customer)).at(-1)?.intent ?? ''
  const openDispute = async () => {
    const { rows: open } = await shop.connection.db.execute<{ id: string }>(sql`
      select id from sandbox.objects where kind = 'dispute' and data->>'status' = 'needs_response'
      and data->'$sandbox'->>'customer' = ${customer}`)
    return open[0]?.id ?? ''
  }
  const perform: Record<(typeof actions)[number], () => Promise<unknown>> = {
    'a month passes': async () => {
      await shop.settle()
      await shop.queue.runNow('reconcile')
      await logIn(buyer)
      if (stepsUntilCrash === 0) await checkAccess(buyer)
      const { status, nextAmount } = await rowOf(buyer)
      const countBefore = (await chargesOf(customer)).length
      await shop.advance(1, 'month')
      // Stripe may keep a renewal as a draft for an hour.
      await shop.advance(2, 'hour')
      const renewals = (await chargesOf(customer)).slice(countBefore)
      const announced = (nextAmount ?? 0) + itemsOnNextInvoice
      if (status === 'active') for (const { amount } of renewals) announcedAndCharged.push([announced, amount])
      if (renewals.length > 0) itemsOnNextInvoice = 0
    },
    'the next renewal fails': () => controls.failNextRenewal(subscription),
    'the process dies at its next step': async () => {
      stepsUntilCrash = 1
    },
    'the process dies later': async () => {
      stepsUntilCrash = 3
    },
    'seller changes the plan': async () => {
      const { billingType } = await rowOf(buyer)
      const otherPlan = billingType === 'monthly' ? 'yearly' : 'monthly'
      return dashboard.changePrice(subscription, await priceOf(otherPlan))
    },
    'seller sets the quantity': () => dashboard.setQuantity(subscription, 2),
    'seller gives a discount': () => dashboard.applyCoupon(subscription, { percent: 30, months: 2 }),
    'seller gives the customer a discount': async () => {
      await dashboard.applyCouponToCustomer(customer, { percent: 20 })
      await lookAgain({ subscription })
    },
    'seller gives a credit': async () => {
      await dashboard.giveCredit(customer, 5000)
      giftedAmount += 5000
      await lookAgain({ subscription })
    },
    'seller gives time': async () => {
      const { currentPeriodEnd } = await rowOf(buyer)
      const until = new Date((currentPeriodEnd?.getTime() ?? 0) + 10 * 86_400_000)
      await admin.call(purchasesAdmin.extend, { id, until: until.toISOString().slice(0, 10) })
    },
    'seller pauses': () => controls.pause(subscription),
    'seller resumes': () => dashboard.unpause(subscription),
    'seller refunds a part': async () => {
      const refundedBefore = await refundedToCustomer(customer)
      const order = { id, amount: 300, refundedSoFar: (await rowOf(buyer)).refundedAmount }
      // The simulated crash may come after Stripe has refunded.
      await admin.call(purchasesAdmin.refund, order).catch(() => {})
      const refunded = (await refundedToCustomer(customer)) - refundedBefore
      expectedRefunds += refunded
      giftedAmount += refunded
    },
    'a refund fails': async () => {
      // A bank returns a refund days later, when the shop already knows the refund.
      await shop.settle()
      await shop.queue.runNow('reconcile')
      const { rows: refundsSent } = await shop.connection.db.execute<{ id: string; amount: number }>(sql`
        select r.id, (r.data->>'amount')::int as amount from sandbox.objects r join sandbox.objects c
        on c.id = r.data->>'charge' where r.kind = 'refund' and r.data->>'status' = 'succeeded'
        and c.data->>'customer' = ${customer} order by r.seq desc limit 1`)
      await controls.failRefund(refundsSent[0]?.id ?? '')
      expectedRefunds -= refundsSent[0]?.amount ?? 0
    },
    'seller adds an item to the next invoice': async () => {
      await dashboard.addInvoiceItem(subscription, 900)
      itemsOnNextInvoice += 900
    },
    'seller stops collecting': () =>
      dashboard.pauseCollection(subscription, { behavior: pauses[story.length % 3] ?? 'void', resumes_at: null }),
    'seller collects again': () => dashboard.pauseCollection(subscription, null),
    'seller refunds the last payment': async () => {
      const { amount } = await controls.refund(await latestIntent())
      expectedRefunds += amount
    },
    'seller voids the invoice': async () => dashboard.voidInvoice(await openInvoice()),
    'bank only asks about a payment': async () => controls.openDispute(await latestIntent(), 'warning_needs_response'),
    'bank decides for the buyer': async () => controls.closeDispute(await openDispute(), 'lost'),
    'bank decides for the seller': async () => controls.closeDispute(await openDispute(), 'won'),
    'bank prevents a dispute over the last payment': async () =>
      controls.openDispute(await latestIntent(), 'prevented'),
    'seller writes the invoice off': async () => dashboard.markUncollectible(await openInvoice()),
    'seller was paid elsewhere': async () => dashboard.payOutOfBand(await openInvoice()),
    'bank opens a dispute': () => controls.openDispute(buyer.purchase.paymentIntentId ?? ''),
    'webhooks are lost': () => controls.webhooks.behave({ drop: true }),
    'buyer pays the open invoice': async () => {
      const { rows: unpaid } = await shop.connection.db.execute<{ secret: string }>(sql`
        select data->>'client_secret' as secret from sandbox.objects where kind = 'payment_intent'
        and data->>'status' = 'requires_payment_method' and data->>'customer' = ${customer} order by seq desc`)
      await shop.pay({ clientSecret: unpaid[0]?.secret ?? '', paymentIntentId: '' })
      await controls.settle()
    },
    'buyer cancels': async () => {
      await logIn(buyer)
      const wasPaid = await isPaidAndRunning()
      await buyer.call(purchases.cancel, { id })
      if (wasPaid && !(await isPaidAndRunning())) hasLostPaidTime = true
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
      const { rows: unconfirmed } = await shop.connection.db.execute<{ id: string; amount: number }>(sql`
        select id, (data->>'amount')::int as amount from sandbox.objects where kind = 'payment_intent'
        and data->>'status' = 'requires_action' and data->>'customer' = ${customer}`)
      await controls.authenticate(unconfirmed[0]?.id ?? '', 'complete')
    },
    'buyer withdraws': async () => {
      stepsUntilCrash = 0
      await shop.settle()
      await shop.queue.runNow('reconcile')
      await logIn(buyer)
      const due = await expectedWithdrawalRefund(subscription, customer)
      await buyer.call(declarations.withdraw, declared(buyer.user.email))
      expectedRefunds += due
      await shop.settle()
    },
  }
  /** Any charge beyond the first was not announced. */
  async function switchTo(act: (order: () => Promise<unknown>) => Promise<unknown>) {
    await logIn(buyer)
    const { at, due } = await buyer.call(purchases.switchOffer, { id })
    const countBefore = (await chargesOf(customer)).length
    await act(() => buyer.call(purchases.switch, { id, at, amount: due })).catch(() => {})
    const [firstCharge, ...furtherCharges] = (await chargesOf(customer)).slice(countBefore)
    if (firstCharge) announcedAndCharged.push([due, firstCharge.amount])
    for (const { amount } of furtherCharges) announcedAndCharged.push([null, amount])
  }
  for (const action of story) {
    await admin.call(accounts.login, { email: admin.user.email, password: admin.password })
    // Many actions are refused in some states.
    await perform[action]().catch(() => {})
  }
  return { announcedAndCharged, expectedRefunds, giftedAmount, hasLostPaidTime, customer }
}

const pauses = ['void', 'mark_uncollectible', 'keep_as_draft'] as const

const usualQuirks = { seed: 1, drop: false, shortens: true, draftSeconds: 0, settlesIn: 'usd' as 'usd' | 'chf' }
/** `months: 0` reduces one payment. Without `billingType`, a code is for both plans. */
const discounts = [
  null,
  { percentOff: 20, months: 0 },
  { percentOff: 15, months: 3 },
  { amountOff: 500 },
  { amountOff: 700, months: 2 },
  { percentOff: 90, months: 1, billingType: 'monthly' },
  { percentOff: 50, billingType: 'monthly' },
  { percentOff: 30, months: 3, billingType: 'yearly' },
] as const
type Discount = (typeof discounts)[number]
type Plan = 'monthly' | 'yearly'

const isForOtherPlan = (discount: NonNullable<Discount>, plan: Plan) =>
  'billingType' in discount && discount.billingType !== plan

/** The lowest price of a plan that any page could have shown for a period, with the buyer's discount. */
function lowestPriceShown(discount: Discount, boughtAt: number): Offered {
  return (plan, periodStart) => {
    const price = plan === 'yearly' ? 39_000 : 3900
    if (!discount || isForOtherPlan(discount, plan)) return price
    const months = 'months' in discount ? discount.months : Infinity
    const isOver = months === 0 ? periodStart > boughtAt : periodStart >= boughtAt + months * 31 * 86_400
    return isOver ? price : priceAfterDiscount(price, { percentOff: null, amountOff: null, ...discount })
  }
}

/** Changes in Stripe's dashboard have no price on any page. */
const actionsWithoutOffer = new Set<string>([
  'seller changes the plan',
  'seller sets the quantity',
  'seller gives a discount',
  'seller gives the customer a discount',
])

async function makeCode(discount: Discount, plan: Plan) {
  if (!discount || isForOtherPlan(discount, plan)) return undefined
  const code = `CODE-${randomUUID().slice(0, 8)}`.toUpperCase()
  await (await shop.admin()).call(codes.adminAdd, { code, ...discount })
  return code
}

const examples: [typeof usualQuirks, Plan, Discount, (typeof actions)[number][]][] = [
  [
    usualQuirks,
    'monthly',
    discounts[2],
    ['a month passes', 'buyer switches to yearly, in two windows', 'buyer cancels', 'buyer resumes', 'buyer withdraws'],
  ],
  [
    { ...usualQuirks, draftSeconds: 3600, settlesIn: 'chf' },
    'monthly',
    discounts[5],
    [
      'buyer switches to yearly, in two windows',
      'seller adds an item to the next invoice',
      'a month passes',
      'seller stops collecting',
      'a month passes',
      'seller collects again',
      'bank opens a dispute',
      'bank decides for the seller',
    ],
  ],
  [
    { ...usualQuirks, drop: true },
    'monthly',
    discounts[3],
    [
      'seller gives a credit',
      'buyer switches with a card whose bank asks',
      'the bank gets its answer',
      'bank prevents a dispute over the last payment',
    ],
  ],
  [
    usualQuirks,
    'monthly',
    null,
    [
      'the next renewal fails',
      'a month passes',
      'seller writes the invoice off',
      'the process dies later',
      'seller sets the quantity',
    ],
  ],
  [
    usualQuirks,
    'monthly',
    null,
    ['the next renewal fails', 'a month passes', 'webhooks are lost', 'buyer pays the open invoice', 'buyer cancels'],
  ],
  [
    usualQuirks,
    'yearly',
    discounts[4],
    ['seller refunds a part', 'a refund fails', 'the process dies at its next step', 'buyer cancels', 'seller pauses'],
  ],
]

/** Random stories; 200 take about ten minutes. */
const stories = Number(process.env.STORIES ?? examples.length + 5)

test('charges, refunds, access and books are right, whatever buyer, seller, bank and dashboard do', {
  timeout: 60_000 + stories * 60_000,
}, async () => {
  const { controls } = shop.sandbox
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        seed: fc.integer({ min: 1, max: 1e6 }),
        drop: fc.boolean(),
        shortens: fc.boolean(),
        draftSeconds: fc.constantFrom(0, 3600),
        settlesIn: fc.constantFrom('usd' as const, 'chf' as const),
      }),
      fc.constantFrom('monthly' as const, 'yearly' as const),
      fc.constantFrom(...discounts),
      fc.array(fc.constantFrom(...actions), { minLength: 3, maxLength: 9 }),
      async (quirks, billing, discount, story) => {
        const code = await makeCode(discount, billing)
        const buyer = await shop.buyer({ billing, code })
        const boughtAt = await controls.now()
        await controls.behave({ ...quirks, delaySeconds: 0, duplicates: 0.3, spread: 1 })
        const { announcedAndCharged, expectedRefunds, giftedAmount, hasLostPaidTime, customer } = await performStory(
          buyer,
          story,
        )
        const movementsBefore = await movementsOf(buyer)
        stepsUntilCrash = 0
        await controls.behaveAsUsual()
        await shop.settle()
        // Interrupted work is retried after a few seconds.
        const { pool } = shop.connection
        const retried = async () =>
          (await pool.query(`select name from jobs.job where state in ('retry', 'active')`)).rows
        await expect.poll(retried, { timeout: 60_000 }).toEqual([])
        await shop.queue.runNow('reconcile')
        await shop.settle()

        expect(announcedAndCharged.filter(([announced, charged]) => announced !== charged)).toEqual([])
        expect(hasLostPaidTime).toBe(false)
        const row = await rowOf(buyer)
        expect(row.refundedAmount).toBe(expectedRefunds)
        const withFailedRefund = await (await shop.admin()).call(purchasesAdmin.list, { need: 'failed_refunds' })
        expect(withFailedRefund.some(({ id }) => id === row.id)).toBe(row.failedRefunds > 0)
        const { booked, wanted } = await compareBooks(shop)
        expect(booked.find(({ id }) => id === row.subscription)).toEqual(
          wanted.find(({ id }) => id === row.subscription),
        )
        // No row of the ledger changes, and its sum at any moment equals one computed from all invoices.
        const ledger = await movementsOf(buyer)
        expect(ledger.slice(0, movementsBefore.length)).toEqual(movementsBefore)
        const now = await controls.now()
        const { arrAt, moments } = await yearlyRevenue(shop.connection, row.subscription, now)
        const sumAt = (seconds: number) => {
          let sum = 0
          for (const { at, arrBefore, arrAfter } of ledger)
            if (at.getTime() <= seconds * 1000) sum += arrAfter - arrBefore
          return sum
        }
        expect(moments.map((seconds) => [seconds, sumAt(seconds)])).toEqual(
          moments.map((seconds) => [seconds, arrAt(seconds)]),
        )
        expect(row.arr).toBe(sumAt(now))
        const storedPayments = await shop.connection.db
          .select({ amount: payments.amount })
          .from(payments)
          .where(eq(payments.purchaseId, row.id))
        const sortedAmounts = (payment: { amount: number }[]) =>
          payment.map(({ amount }) => amount).toSorted((a, b) => a - b)
        expect(sortedAmounts(storedPayments)).toEqual(sortedAmounts(await chargesOf(customer)))
        await logIn(buyer)
        expect(await checkAccess(buyer)).toBe(isLive(row.status))
        // Nobody pays less than the lowest price shown, apart from the seller's gifts.
        const { priceOf } = await paidTime(shop.connection, row.subscription, now)
        const { paid, least } = priceOf(lowestPriceShown(code ? discount : null, boughtAt))
        const hasOffers = !story.some((action) => actionsWithoutOffer.has(action))
        // A cent of rounding for each change.
        expect(paid + giftedAmount).toBeGreaterThanOrEqual(hasOffers ? Math.floor(least) - story.length : -Infinity)

        // A shop that lost its records restores them with one sync.
        await deleteMovements(row.id)
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
            firstPaidAt: null,
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
        expect(effectiveMovements(await movementsOf(buyer))).toEqual(effectiveMovements(ledger))
      },
    ),
    { examples, numRuns: stories, endOnFailure: true },
  )
})
