import { day } from '../basics.ts'
import { type BalanceChange, midnightAfter, newBalanceTransaction, newPayout } from '../objects/balance.ts'
import type { Work } from '../work.ts'

/** `cents` is negative for money that leaves the account. */
export async function moveBalance(
  work: Work,
  change: BalanceChange,
  source: { id: string; currency: string },
  cents: number,
) {
  const { settlesIn } = work.quirks
  const transaction = newBalanceTransaction({ now: work.now, change, cents, source, settlesIn })
  return work.insert({ ...transaction, $sandbox: { payout: null, due_at: midnightAfter(transaction.available_on) } })
}

export async function payOut(work: Work, currency: 'usd' | 'chf') {
  const available = (await work.all('balance_transaction', { currency, $sandbox: { payout: null } })).filter(
    ({ available_on: at, type }) => at < work.now && type !== 'payout',
  )
  const amount = available.reduce((sum, { net }) => sum + net, 0)
  if (amount <= 0) {
    for (const transaction of available)
      await work.save({ ...transaction, $sandbox: { payout: null, due_at: work.now + day } })
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
  for (const transaction of available)
    await work.save({ ...transaction, $sandbox: { payout: payout.id, due_at: null } })
  work.emit('payout.paid', paid)
}
