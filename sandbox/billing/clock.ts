import type { Books } from '../books.ts'
import type { Kind } from '../objects/kinds.ts'
import type { Work } from '../work.ts'
import { payOut } from './balance.ts'
import { openDispute, runDueRefund } from './disputes.ts'
import { finishPayment } from './payments.ts'
import { dropPendingUpdate } from './plan-changes.ts'
import { runDueInvoice, runDueSubscription } from './subscriptions.ts'

export type Clock = ReturnType<typeof createClock>

type DueObject = { id: string; kind: Kind; due_at: number }

/** The clock `null` is the sandbox's; others are test clocks. */
export function createClock(books: Books) {
  async function nextDue(clock: string | null, until: number): Promise<DueObject | undefined> {
    const { rows } = await books.database.query<DueObject>(
      `select id, kind, due_at from sandbox.objects
        where due_at <= $2 and clock is not distinct from $1 order by due_at, seq limit 1`,
      [clock, until],
    )
    return rows[0]
  }

  /** Runs in one transaction, at the due time. Does nothing if another process was first. */
  const runDue = (clock: string | null, due: DueObject) =>
    books.write(async (work) => {
      const at = Math.floor(due.due_at)
      if (due.kind === 'balance_transaction') await lockBalance(work)
      if ((await lockAndReadDueTime(work, due)) !== due.due_at) return
      await setTime(work, clock, at)
      work.now = at
      if (due.kind === 'subscription') {
        const subscription = await work.get('subscription', due.id)
        const isExpired = (subscription.pending_update?.expires_at ?? Infinity) <= at
        if (isExpired) await dropPendingUpdate(work, subscription)
        else await runDueSubscription(work, subscription)
      }
      if (due.kind === 'invoice') await runDueInvoice(work, await work.get('invoice', due.id))
      if (due.kind === 'balance_transaction') await payOut(work, (await work.get(due.kind, due.id)).currency)
      if (due.kind === 'charge') await openDueDispute(work, due.id)
      if (due.kind === 'refund') await runDueRefund(work, await work.get('refund', due.id))
      if (due.kind === 'payment_intent') await finishPayment(work, await work.get('payment_intent', due.id))
    })

  async function runUntil(clock: string | null, until: number) {
    for (let due = await nextDue(clock, until); due; due = await nextDue(clock, until)) {
      await runDue(clock, due)
    }
  }

  return {
    now: () => books.read(async (work) => work.now),

    async settle() {
      const { rows } = await books.database.query<{ id: string }>(
        `select id from sandbox.objects where kind = 'payment_intent' and due_at is not null order by due_at, seq`,
      )
      for (const { id } of rows)
        await books.write(async (work) => finishPayment(work, await work.getForUpdate('payment_intent', id)))
    },

    async stopBilling() {
      await books.database.query('update sandbox.objects set due_at = null where due_at is not null')
    },

    async advanceTo(time: number) {
      await runUntil(null, time)
      await books.write((work) => setTime(work, null, time))
    },

    async tick() {
      const now = await books.read(async (work) => work.time)
      await runUntil(null, now)
      const advancing = await books.read((work) => work.all('test_helpers.test_clock', { status: 'advancing' }))
      for (const { id, status_details } of advancing) {
        const target = status_details.advancing?.target_frozen_time ?? 0
        await runUntil(id, target)
        await books.write(async (work) => {
          const clock = await work.getForUpdate('test_helpers.test_clock', id)
          if (clock.status_details.advancing?.target_frozen_time !== target) return
          const ready = await work.save({ ...clock, frozen_time: target, status: 'ready' as const, status_details: {} })
          work.emit('test_helpers.test_clock.ready', ready)
        })
      }
    },
  }
}

async function lockAndReadDueTime(work: Work, { kind, id }: DueObject) {
  await work.getForUpdate(kind, id)
  const { rows } = await work.database.query<DueObject>('select due_at from sandbox.objects where id = $1', [id])
  return rows[0]?.due_at
}

async function openDueDispute(work: Work, id: string) {
  const charge = await work.get('charge', id)
  const isDisputable = charge.paid && !charge.disputed && !charge.refunded
  const undisputed = await work.save({ ...charge, $sandbox: { dispute_at: null } })
  if (isDisputable) await openDispute(work, undisputed)
}

/** Payouts run one at a time, because each changes many balance transactions. */
const lockBalance = (work: Work) => work.database.query(`select pg_advisory_xact_lock(hashtext('sandbox balance'))`)

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
