import { sql } from 'drizzle-orm'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { privatePackage } from '#contract/access/package.ts'
import { ApiError } from '#contract/call.ts'
import { checkout } from '#contract/selling/checkout.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { purchasesAdmin } from '#contract/selling/purchases-admin.ts'
import { isLive } from '#contract/statuses.ts'
import { reboundSigmaPro } from '#server/testing/book-purchase.ts'
import { compareBooks } from '#server/testing/books.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'

type User = Awaited<ReturnType<TestShop['user']>>

/** Clicks twice at the same time. Returns the successful results, and ignores refusals (409) and failures of Stripe (502, 503). */
async function clickTwice<Answer>(click: () => Promise<Answer>): Promise<Answer[]> {
  const clicks = await Promise.allSettled([click(), click()])
  for (const { reason } of clicks.filter((each) => each.status === 'rejected'))
    if (!(reason instanceof ApiError && [409, 502, 503].includes(reason.status))) throw reason
  return clicks.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
}

/** Clicks in two tabs until the payment has arrived, because an error may hide a payment that succeeded. */
async function payOnce(shop: TestShop, user: User): Promise<string> {
  const order = { productSlug: reboundSigmaPro.slug, billingType: 'monthly' as const }
  const begin = () => user.call(checkout.createSubscriptionIntent, order)
  let latestIntent: string | undefined
  for (let tries = 0; tries < 30; tries++) {
    const answers = await Promise.allSettled([begin(), begin()])
    const begun = answers.find((answer) => answer.status === 'fulfilled')?.value
    if (!begun) {
      // Once the purchase is recorded, a second subscription is refused.
      const isRecorded = (await user.call(purchases.list, {})).length > 0
      if (latestIntent && isRecorded) return latestIntent
      continue
    }
    const { clientSecret, isPaid } = begun
    const [paymentIntentId = ''] = clientSecret.split('_secret_')
    latestIntent = paymentIntentId
    if (isPaid || (await shop.pay({ clientSecret, paymentIntentId })) === 'succeeded') return paymentIntentId
  }
  throw new Error('Stripe never let anybody pay')
}

async function tryYearlyCheckout(user: User) {
  const order = { productSlug: reboundSigmaPro.slug, billingType: 'yearly' as const }
  const answer = await user.call(checkout.createSubscriptionIntent, order).catch((error: unknown) => {
    if (!(error instanceof ApiError && [409, 503].includes(error.status))) throw error
  })
  return !answer || answer.isPaid ? 'nothing to pay' : 'a second payment'
}

async function countCharges(shop: TestShop, user: User) {
  const { rows } = await shop.connection.db.execute<{ charges: number }>(sql`
    select count(*)::int as charges from sandbox.objects
    where kind = 'charge' and data->>'status' = 'succeeded'
      and data->>'customer' in (select customer_id from orders where user_id = ${user.user.id})`)
  return rows[0]?.charges
}

const actions = [
  'cancel',
  'resume',
  'pay again',
  'confirm',
  'seller refunds a part',
  'bank refunds a part',
  'reconcile',
] as const

test('double clicks while Stripe is slow and failing charge once, and the buyer is shown the actual state', {
  timeout: 240_000,
}, async () => {
  await using shop = await openShop()
  const { controls } = shop.sandbox
  const admin = await shop.admin()
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 1_000_000 }),
      fc.array(fc.constantFrom(...actions), { maxLength: 6 }),
      async (seed, story) => {
        await controls.behave({
          seed,
          lag: { from: 0.1, to: 1 },
          failing: 0.2,
          delaySeconds: 0,
          duplicates: 0.3,
          spread: 1,
        })
        const user = await shop.user()
        const readPurchase = async () => (await user.call(purchases.list, {}))[0]
        const paymentIntentId = await payOnce(shop, user)
        const actualAndShown: [actual: string | undefined, shown: string][] = []
        for (const action of story) {
          const purchaseBefore = await readPurchase()
          const id = purchaseBefore?.id ?? ''
          if (action === 'confirm') {
            const results = await clickTwice(() => user.callAndCheckDone(checkout.confirm, { paymentIntentId }))
            const recordedIntent = (await readPurchase())?.paymentIntentId ?? 'nothing'
            if (results.includes(true)) actualAndShown.push([recordedIntent, paymentIntentId])
          }
          if (action === 'reconcile') await shop.queue.runNow('reconcile').catch(() => {})
          if (action === 'bank refunds a part') await controls.refund(paymentIntentId, 500).catch(() => {})
          if (action === 'pay again') actualAndShown.push([await tryYearlyCheckout(user), 'nothing to pay'])
          if (!purchaseBefore) continue
          if (action === 'cancel') {
            const results = await clickTwice(() => user.call(purchases.cancel, { id }))
            if (results.length > 0) actualAndShown.push([(await readPurchase())?.status, 'pending_cancel'])
          }
          if (action === 'resume') {
            const results = await clickTwice(() => user.call(purchases.resume, { id }))
            if (results.length > 0) actualAndShown.push([(await readPurchase())?.status, 'active'])
          }
          if (action === 'seller refunds a part') {
            const { refundedAmount } = purchaseBefore
            const refund = { id, amount: 300, refundedSoFar: refundedAmount }
            const results = await clickTwice(() => admin.call(purchasesAdmin.refund, refund))
            const refundedAfter = (await readPurchase())?.refundedAmount
            if (results.length > 0) actualAndShown.push([`${refundedAfter}`, `${refundedAmount + refund.amount}`])
          }
        }
        expect(actualAndShown.filter(([actual, shown]) => actual !== shown)).toEqual([])
        await controls.behaveAsUsual()
        await controls.settle()
        await shop.settle()
        await shop.queue.runNow('reconcile')
        expect(await user.callAndCheckDone(checkout.confirm, { paymentIntentId })).toBe(true)
        expect(await countCharges(shop, user)).toBe(1)
        const mails = (await shop.mails()).filter(({ to }) => to === user.user.email)
        expect(mails.filter(({ subject }) => subject.startsWith('Your receipt'))).toHaveLength(1)
        const purchase = await readPurchase()
        const opened = user.call(privatePackage.show, {}).then(
          () => true,
          () => false,
        )
        expect(await opened).toBe(purchase !== undefined && isLive(purchase.status))
        const { booked, wanted } = await compareBooks(shop)
        expect(booked).toEqual(wanted)
      },
    ),
    { numRuns: 8 },
  )
})
