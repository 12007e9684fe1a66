import { day } from '../basics.ts'
import { type BalanceChange, midnightAfter, newBalanceTransaction, newPayout } from '../objects/balance.ts'
import type { Work } from '../work.ts'

/** Books what a payment, refund or dispute does to the account's balance. */
export async function moveBalance(
  work: Work,
  change: BalanceChange,
  source: { id: string; currency: string },
  cents: number,
) {
  const { settlesIn } = work.quirks
  const moved = newBalanceTransaction({ now: work.now, change, cents, source, settlesIn })
  return work.insert({ ...moved, $sandbox: { payout: null, due_at: midnightAfter(moved.available_on) } })
}

/** Pays out at midnight what is available in one currency. A balance below zero waits for more to come in. */
export async function payOut(work: Work, currency: 'usd' | 'chf') {
  const waiting = (await work.all('balance_transaction', { currency, $sandbox: { payout: null } })).filter(
    ({ available_on: at, type }) => at < work.now && type !== 'payout',
  )
  const amount = waiting.reduce((sum, { net }) => sum + net, 0)
  if (amount <= 0) {
    for (const each of waiting) await work.save({ ...each, $sandbox: { payout: null, due_at: work.now + day } })
    return
  }
  const payout = newPayout(work.now, amount, currency)
  const source = { id: payout.id, currency }
  const payoutTransaction = newBalanceTransaction({
    now: work.now,
    change: 'payout',
    cents: -amount,
    source,
    settlesIn: currency,
  })
  await work.insert({ ...payoutTransaction, $sandbox: { payout: payout.id, due_at: null } })
  const paid = await work.create({ ...payout, balance_transaction: payoutTransaction.id })
  for (const each of waiting) await work.save({ ...each, $sandbox: { payout: payout.id, due_at: null } })
  work.emit('payout.paid', paid)
}
