import { conflict } from '../../errors.ts'
import { type Client, idOf, isOtherUse, isRefused, needsBuyer } from './client.ts'
import { defaultPayment } from './history.ts'

/** Has a secret if the bank asks the buyer to confirm the payment. */
type PaymentResult = { state: 'done' | 'processing'; confirmWith: string | null }

export function invoiceCalls(
  { sdk, ask, all, orNothing, translate }: Client,
  hasPaid: (intent: string) => Promise<boolean>,
) {
  return {
    /** Links to an invoice or credit note at Stripe. They expire, so they are never stored. */
    async links(id: string) {
      if (id.startsWith('cn_')) return { viewUrl: null, pdfUrl: (await ask(sdk.creditNotes.retrieve(id))).pdf }
      const { hosted_invoice_url: viewUrl, invoice_pdf: pdfUrl } = await ask(sdk.invoices.retrieve(id))
      return { viewUrl: viewUrl ?? null, pdfUrl: pdfUrl ?? null }
    },

    /** Amount of the next renewal; null if there is none. Waits at most 3 s, because a page depends on it. */
    async nextAmount(subscription: string): Promise<number | null> {
      const request = sdk.invoices.createPreview({ subscription }, { timeout: 3000, maxNetworkRetries: 0 })
      return (await orNothing(request, isRefused))?.amount_due ?? null
    },

    /** Voids open invoices and drafts of an ended subscription, which would buy nothing. */
    async voidOpen(subscription: string) {
      for (const status of ['draft', 'open', 'uncollectible'] as const) {
        const { data } = await ask(sdk.invoices.list({ subscription, status, limit: 100 }))
        for (const { id } of data) {
          // Stripe neither voids nor deletes a subscription's draft; this keeps it a draft.
          const request =
            status === 'draft' ? sdk.invoices.update(id, { auto_advance: false }) : sdk.invoices.voidInvoice(id)
          // Paid or voided concurrently; the next sync shows which.
          await orNothing(request, isRefused)
        }
      }
    },

    /** Pays an open invoice: with this card and the buyer present, or with the card on file. */
    async pay(id: string, card?: string): Promise<PaymentResult> {
      try {
        await ask(
          sdk.invoices.pay(id, card ? { payment_method: card, off_session: false } : { off_session: true }),
          () => true,
        )
        return { state: 'done', confirmWith: null }
      } catch (error) {
        // Reads the invoice again after a refusal: a concurrent request may have paid it.
        const invoice = await ask(sdk.invoices.retrieve(id, { expand: ['confirmation_secret', 'payments'] }))
        const { status, confirmation_secret: secret, payments } = invoice
        if (status === 'paid') return { state: 'done', confirmWith: null }
        if (needsBuyer(error)) return { state: 'processing', confirmWith: secret?.client_secret ?? null }
        // Paid, but Stripe isn't done with the invoice yet.
        for (const { payment } of payments?.data ?? []) {
          const intent = idOf(payment.payment_intent)
          if (intent && (await hasPaid(intent))) return { state: 'processing', confirmWith: null }
        }
        if (status !== 'open' && isRefused(error))
          throw conflict('invoice-closed', 'This invoice can no longer be paid.')
        throw translate(error)
      }
    },

    /** Idempotent: issues a credit note for every successful refund. A note whose refund failed covers the next refund. */
    async creditRefunds(subscription: string) {
      const invoices = await all(sdk.invoices.list({ subscription, expand: ['data.payments'], limit: 100 }))
      for (const { id: invoice, payments, status } of invoices) {
        const intent = idOf(defaultPayment(payments?.data)?.payment.payment_intent)
        if (status !== 'paid' || !intent) continue
        const refunds = await ask(sdk.refunds.list({ payment_intent: intent, limit: 100 }))
        const arrived = refunds.data.filter((refund) => refund.status === 'succeeded')
        if (arrived.length === 0) continue
        const notes = await ask(sdk.creditNotes.list({ invoice, limit: 100 }))
        const covered = notes.data.flatMap((note) => (note.status === 'issued' ? note.refunds : []))
        const credited = new Set(covered.map(({ refund }) => idOf(refund)))
        let remaining =
          arrived.reduce((sum, { amount }) => sum + amount, 0) -
          covered.reduce((sum, { amount_refunded: amount }) => sum + amount, 0)
        for (const { id: refund, amount: refunded } of arrived.toReversed()) {
          const amount = Math.min(refunded, remaining)
          if (credited.has(refund) || amount <= 0) continue
          remaining -= amount
          // Another process may have credited it; reads again.
          await orNothing(
            sdk.creditNotes.create(
              // The shop has its own mail about the refund.
              { invoice, amount, refunds: [{ refund, amount_refunded: amount }], email_type: 'none' },
              { idempotencyKey: `credit-note-${refund}` },
            ),
            isOtherUse,
          )
        }
      }
    },
  }
}
