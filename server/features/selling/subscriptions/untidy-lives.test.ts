import { sql } from 'drizzle-orm'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { privatePackage } from '#contract/access/package.ts'
import { ApiError } from '#contract/call.ts'
import { checkout } from '#contract/selling/checkout.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { isLive } from '#contract/statuses.ts'
import { reboundSigmaPro } from '#server/testing/book-purchase.ts'
import { compareBooks } from '#server/testing/books.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'

type User = Awaited<ReturnType<TestShop['user']>>

/** Two clicks at the same time. Stripe may be away (503); whatever else is refused is a sentence, too. */
async function twice<Answer>(click: () => Promise<Answer>): Promise<Answer[]> {
  const clicks = await Promise.allSettled([click(), click()])
  for (const { reason } of clicks.filter((each) => each.status === 'rejected'))
    if (!(reason instanceof ApiError && [409, 502, 503].includes(reason.status))) throw reason
  return clicks.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
}

/** Clicks until the money has arrived, in two tabs at the same time: an error may hide a payment that was made. */
async function payOnce(shop: TestShop, user: User): Promise<string> {
  const order = { productSlug: reboundSigmaPro.slug, billingType: 'monthly' as const }
  const begin = () => user.call(checkout.createSubscriptionIntent, order)
  for (let paid: string | undefined, tries = 0; tries < 30; tries++) {
    const [tab, other] = await Promise.allSettled([begin(), begin()])
    const begun = [tab, other].flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))[0]
    // Booked meanwhile: a second subscription is refused.
    if (!begun && paid && (await user.call(purchases.list, {})).length > 0) return paid
    if (!begun) continue
    const [paymentIntentId = ''] = begun.clientSecret.split('_secret_')
    if (begun.isPaid) return paymentIntentId
    paid = paymentIntentId
    if ((await shop.pay({ clientSecret: begun.clientSecret, paymentIntentId })) === 'succeeded') return paid
  }
  throw new Error('Stripe never let anybody pay')
}

/** Offer for a buyer who has paid and comes back for another plan. */
async function offered(user: User) {
  const order = { productSlug: reboundSigmaPro.slug, billingType: 'yearly' as const }
  const answer = await user.call(checkout.createSubscriptionIntent, order).catch((error: unknown) => {
    if (!(error instanceof ApiError && [409, 503].includes(error.status))) throw error
  })
  return !answer || answer.isPaid ? 'nothing to pay' : 'a second payment'
}

async function moneyOf(shop: TestShop, user: User) {
  const { rows } = await shop.connection.db.execute<{ charges: number }>(sql`
    select count(*)::int as charges from sandbox.objects
    where kind = 'charge' and data->>'status' = 'succeeded'
      and data->>'customer' in (select customer_id from orders where user_id = ${user.user.id})`)
  return rows[0]?.charges
}

const deeds = [
  'cancel',
  'resume',
  'pay again',
  'confirm',
  'seller refunds a part',
  'bank refunds a part',
  'reconcile',
] as const

test('at an untidy Stripe, whatever is clicked twice: told the truth, charged once, access as paid', {
  timeout: 240_000,
}, async () => {
  await using shop = await openShop()
  const { controls } = shop.sandbox
  const admin = await shop.admin()
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 1_000_000 }),
      fc.array(fc.constantFrom(...deeds), { maxLength: 6 }),
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
        const mine = async () => (await user.call(purchases.list, {}))[0]
        const paymentIntentId = await payOnce(shop, user)
        /** Actual state, and the state shown to the buyer. */
        const told: [is: string | undefined, said: string][] = []
        for (const deed of story) {
          const before = await mine()
          const id = before?.id ?? ''
          if (deed === 'confirm')
            for (const isDone of await twice(() => user.callAndCheckDone(checkout.confirm, { paymentIntentId })))
              if (isDone) told.push([(await mine())?.paymentIntentId ?? 'nothing', paymentIntentId])
          if (deed === 'reconcile') await shop.queue.runNow('reconcile').catch(() => {})
          if (deed === 'bank refunds a part') await controls.refund(paymentIntentId, 500).catch(() => {})
          if (deed === 'pay again') told.push([await offered(user), 'nothing to pay'])
          if (!before) continue
          if (deed === 'cancel' && (await twice(() => user.call(purchases.cancel, { id }))).length > 0)
            told.push([(await mine())?.status, 'pending_cancel'])
          if (deed === 'resume' && (await twice(() => user.call(purchases.resume, { id }))).length > 0)
            told.push([(await mine())?.status, 'active'])
          if (deed === 'seller refunds a part') {
            const refund = { id, amount: 300, refundedSoFar: before.refundedAmount }
            const done = await twice(() => admin.call(purchases.adminRefund, refund))
            if (done.length > 0)
              told.push([`${(await mine())?.refundedAmount}`, `${before.refundedAmount + refund.amount}`])
          }
        }
        expect(told.filter(([is, said]) => is !== said)).toEqual([])
        await controls.behaveAsUsual()
        await controls.settle()
        await shop.settle()
        await shop.queue.runNow('reconcile')
        expect(await user.callAndCheckDone(checkout.confirm, { paymentIntentId })).toBe(true)
        expect(await moneyOf(shop, user)).toBe(1)
        const mails = (await shop.mails()).filter(({ to }) => to === user.user.email)
        expect(mails.filter(({ subject }) => subject.startsWith('Your receipt'))).toHaveLength(1)
        const bought = await mine()
        const opened = user.call(privatePackage.show, {}).then(
          () => true,
          () => false,
        )
        expect(await opened).toBe(bought !== undefined && isLive(bought.status))
        const { booked, wanted } = await compareBooks(shop)
        expect(booked).toEqual(wanted)
      },
    ),
    { numRuns: 8 },
  )
})
