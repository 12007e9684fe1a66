import type { Books } from '../books.ts'
import type { Kind } from '../objects/kinds.ts'
import type { Work } from '../work.ts'
import { payOut } from './balance.ts'
import { openDispute, refundDue } from './disputes.ts'
import { finishPayment } from './payments.ts'
import { dropPendingUpdate } from './plan-changes.ts'
import { invoiceDue, subscriptionDue } from './subscriptions.ts'

export type Clock = ReturnType<typeof createClock>

type Due = { id: string; kind: Kind; due_at: number }

/** Runs what falls due, in order, on the sandbox's own clock (`null`) or on a test clock. */
export function createClock(books: Books) {
  async function nextDue(clock: string | null, until: number): Promise<Due | undefined> {
    const { rows } = await books.database.query<Due>(
      `select id, kind, due_at from sandbox.objects
        where due_at <= $2 and clock is not distinct from $1 order by due_at, seq limit 1`,
      [clock, until],
    )
    return rows[0]
  }

  /** Runs a due item in one transaction, at its due time. A second process finds it done. */
  const runDue = (clock: string | null, due: Due) =>
    books.write(async (work) => {
      const at = Math.floor(due.due_at)
      if (due.kind === 'balance_transaction') await lockBalance(work)
      const { rows } = await claimDue(work, due)
      if (rows[0]?.due_at !== due.due_at) return
      await setTime(work, clock, at)
      work.now = at
      if (due.kind === 'subscription') {
        const subscription = await work.get('subscription', due.id)
        const isExpired = (subscription.pending_update?.expires_at ?? Infinity) <= at
        await (isExpired ? dropPendingUpdate : subscriptionDue)(work, subscription)
      }
      if (due.kind === 'invoice') await invoiceDue(work, await work.get('invoice', due.id))
      if (due.kind === 'balance_transaction') await payOut(work, (await work.get(due.kind, due.id)).currency)
      if (due.kind === 'charge') await disputeDue(work, due.id)
      if (due.kind === 'refund') await refundDue(work, await work.get('refund', due.id))
      if (due.kind === 'payment_intent') await finishPayment(work, await work.get('payment_intent', due.id))
    })

  async function runUntil(clock: string | null, until: number) {
    for (let due = await nextDue(clock, until); due; due = await nextDue(clock, until)) {
      await runDue(clock, due)
    }
  }

  return {
    now: () => books.read(async (work) => work.now),

    /** Finishes what is still in progress, without waiting for it. */
    async settle() {
      const { rows } = await books.database.query<{ id: string }>(
        `select id from sandbox.objects where kind = 'payment_intent' and due_at is not null order by due_at, seq`,
      )
      for (const { id } of rows)
        await books.write(async (work) => finishPayment(work, await work.claim('payment_intent', id)))
    },

    /** Cancels the due dates of all existing objects: no more renewals, retries or payouts. */
    async stopBilling() {
      await books.database.query('update sandbox.objects set due_at = null where due_at is not null')
    },

    async advanceTo(time: number) {
      await runUntil(null, time)
      await books.write((work) => setTime(work, null, time))
    },

    /** Runs everything due since the last call, and test clocks that were told to advance. */
    async tick() {
      const now = await books.read(async (work) => work.time)
      await runUntil(null, now)
      const advancing = await books.read((work) => work.all('test_helpers.test_clock', { status: 'advancing' }))
      for (const { id, status_details } of advancing) {
        const target = status_details.advancing?.target_frozen_time ?? 0
        await runUntil(id, target)
        await books.write(async (work) => {
          const clock = await work.claim('test_helpers.test_clock', id)
          if (clock.status_details.advancing?.target_frozen_time !== target) return
          const ready = await work.save({ ...clock, frozen_time: target, status: 'ready' as const, status_details: {} })
          work.emit('test_helpers.test_clock.ready', ready)
        })
      }
    },
  }
}

async function claimDue(work: Work, due: Due) {
  await work.claim(due.kind, due.id)
  return work.database.query<Due>('select due_at from sandbox.objects where id = $1', [due.id])
}

async function disputeDue(work: Work, id: string) {
  const charge = await work.get('charge', id)
  const disputable = charge.paid && !charge.disputed && !charge.refunded
  const undisputed = await work.save({ ...charge, $sandbox: { dispute_at: null } })
  if (disputable) await openDispute(work, undisputed)
}

/** Payouts run one at a time: each claims many balance transactions. */
const lockBalance = (work: Work) => work.database.query(`select pg_advisory_xact_lock(hashtext('sandbox balance'))`)

/** Time only moves forward. */
async function setTime(work: Work, clock: string | null, to: number) {
  if (clock === null) {
    await work.database.query('update sandbox.settings set clock_offset = greatest(clock_offset, $1)', [
      to - Math.floor(Date.now() / 1000),
    ])
  } else {
    const frozen = await work.get('test_helpers.test_clock', clock)
    await work.save({ ...frozen, frozen_time: Math.max(frozen.frozen_time, to) })
  }
}
