import { claimCharge } from '../api/money.ts'
import { closeDispute, failRefund, openDispute, refund } from '../billing/disputes.ts'
import { update } from '../billing/invoices.ts'
import { authenticatePayment } from '../billing/payments.ts'
import { authenticateSetup } from '../billing/setups.ts'
import { Failure, invalid } from '../failure.ts'
import { periodOf } from '../objects/subscription.ts'
import type { Work } from '../work.ts'

type Act = <T>(task: (work: Work) => Promise<T>) => Promise<T>

/** What sellers, buyers and banks do at Stripe itself. */
export function dashboardControls(act: Act) {
  return {
    /** Stripe's customer portal only knows `cancel_at`. */
    cancelInPortal: (subscription: string) =>
      act(async (work) => {
        const found = await work.claim('subscription', subscription)
        return update(work, found, {
          ...found,
          cancel_at: periodOf(found).end,
          canceled_at: work.now,
          cancellation_details: { ...found.cancellation_details, reason: 'cancellation_requested' },
        })
      }),

    /** As after a trial that ended without a card. */
    pause: (subscription: string) =>
      act(async (work) => {
        const found = await work.claim('subscription', subscription)
        if (found.status !== 'active') throw invalid('Only an active subscription can be paused.')
        const paused = await update(work, found, { ...found, status: 'paused' })
        work.emit('customer.subscription.paused', paused)
        return paused
      }),

    archivePrice: (price: string, active = false) =>
      act(async (work) => {
        const before = await work.claim('price', price)
        const after = await work.save({ ...before, active })
        work.emit('price.updated', after, before)
        return after
      }),

    failNextRenewal: (subscription: string) =>
      act(async (work) => {
        const found = await work.claim('subscription', subscription)
        await work.save({ ...found, $sandbox: { fail_next_renewal: true } })
      }),

    refund: (paymentIntent: string, amount?: number) =>
      act(async (work) => refund(work, await claimCharge(work, undefined, paymentIntent), amount)),

    failRefund: (id: string) => act(async (work) => failRefund(work, await work.claim('refund', id))),

    openDispute: (paymentIntent: string) =>
      act(async (work) => openDispute(work, await claimCharge(work, undefined, paymentIntent))),

    closeDispute: (dispute: string, outcome: 'won' | 'lost') =>
      act(async (work) => closeDispute(work, await work.claim('dispute', dispute), outcome)),

    /** The buyer's answer in the 3-D Secure dialog, for tests without a browser. */
    authenticate: (intent: string, outcome: 'complete' | 'fail') =>
      act(async (work) => {
        const passed = outcome === 'complete'
        const answer = intent.startsWith('seti_')
          ? await authenticateSetup(work, await work.claim('setup_intent', intent), passed)
          : await authenticatePayment(work, await work.claim('payment_intent', intent), passed)
        return { succeeded: !(answer instanceof Failure) }
      }),
  }
}
