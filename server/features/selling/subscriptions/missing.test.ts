import { eq, sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { overview } from '#contract/admin/overview.ts'
import { accountsAdmin } from '#contract/identity/accounts-admin.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { purchasesAdmin } from '#contract/selling/purchases-admin.ts'
import { mrrProofs, purchases as purchaseRows } from '#server/database/schema.ts'
import { openShop } from '#server/testing/open-shop.ts'

test('a subscription that Stripe does not know stays unchanged and blocks nothing until the seller ends it', async () => {
  await using shop = await openShop()
  const { db } = shop.connection
  const admin = await shop.admin()
  const [missing, leaving, hiddenForAWhile, unaffected] = [
    await shop.buyer(),
    await shop.buyer(),
    await shop.buyer(),
    await shop.buyer({ billing: 'yearly' }),
  ]
  const rows = await db.select().from(purchaseRows)
  const subscriptionOf = (buyer: typeof missing) =>
    rows.find(({ id }) => id === buyer.purchase.id)?.stripeSubscriptionId ?? ''
  const setKind = (buyer: typeof missing, kind: string) =>
    db.execute(sql`update sandbox.objects set kind = ${kind} where id = ${subscriptionOf(buyer)}`)
  const hideAtStripe = (buyer: typeof missing) => setKind(buyer, 'hidden')
  const showAtStripe = (buyer: typeof missing) => setKind(buyer, 'subscription')
  for (const buyer of [missing, leaving, hiddenForAWhile]) await hideAtStripe(buyer)
  await shop.queue.runNow('prove-revenue')

  const countMissing = async () =>
    (await admin.call(overview.adminNeeds, {})).find(({ kind }) => kind === 'missing_at_stripe')?.count ?? 0
  expect(await countMissing()).toBe(3)
  expect(await missing.call(purchases.list, {})).toMatchObject([{ status: 'active', endedBecause: null }])
  const [proof] = await db.select().from(mrrProofs)
  expect(proof).toMatchObject({ compared: 4, differing: 3, unreadable: 0 })

  expect(await admin.call(purchasesAdmin.cancellation, { id: missing.purchase.id })).toMatchObject({ isMissing: true })
  await admin.call(purchasesAdmin.cancel, { id: missing.purchase.id })
  expect(await missing.call(purchases.list, {})).toMatchObject([{ status: 'cancelled', endedBecause: 'gone' }])
  await admin.call(accountsAdmin.delete, { id: leaving.user.id })
  const [deletedAccountsPurchase] = await db.select().from(purchaseRows).where(eq(purchaseRows.id, leaving.purchase.id))
  expect(deletedAccountsPurchase).toMatchObject({ status: 'cancelled', endedBecause: 'gone', arr: 0 })
  expect(await countMissing()).toBe(1)

  await showAtStripe(hiddenForAWhile)
  // The reconciler reads a subscription at most once an hour.
  shop.clock.advance({ minutes: 61 })
  await shop.queue.runNow('reconcile')
  const [restoredPurchase] = await db
    .select()
    .from(purchaseRows)
    .where(eq(purchaseRows.id, hiddenForAWhile.purchase.id))
  expect(restoredPurchase).toMatchObject({ status: 'active', missingSince: null })
  await shop.queue.runNow('prove-revenue')
  const proofs = await db.select().from(mrrProofs).orderBy(mrrProofs.at)
  expect(proofs.at(-1)).toMatchObject({ differing: 0, unreadable: 0 })
  expect(await unaffected.call(purchases.list, {})).toMatchObject([{ status: 'active' }])
})
