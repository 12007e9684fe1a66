import type { Client } from './answers.ts'
import { idOf } from './values.ts'

export function creditNoteCalls({ sdk, ask, all }: Client) {
  return {
    /** A credit note for every refund that has none yet; safe to repeat. Refunds made at Stripe's dashboard count too. */
    async creditRefunds(subscription: string) {
      const invoices = await all(sdk.invoices.list({ subscription, expand: ['data.payments'], limit: 100 }))
      for (const { id: invoice, payments, status } of invoices) {
        const intent = idOf(payments?.data[0]?.payment.payment_intent)
        if (status !== 'paid' || !intent) continue
        const refunds = await ask(sdk.refunds.list({ payment_intent: intent, limit: 100 }))
        const arrived = refunds.data.filter((refund) => refund.status === 'succeeded')
        if (arrived.length === 0) continue
        const notes = await ask(sdk.creditNotes.list({ invoice, limit: 100 }))
        const credited = new Set(notes.data.flatMap((note) => note.refunds.map(({ refund }) => idOf(refund))))
        for (const { id: refund, amount } of arrived)
          if (!credited.has(refund))
            await ask(
              sdk.creditNotes.create(
                { invoice, amount, refunds: [{ refund, amount_refunded: amount }] },
                { idempotencyKey: `credit-note-${refund}` },
              ),
            )
      }
    },
  }
}
