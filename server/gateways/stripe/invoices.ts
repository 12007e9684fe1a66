import { conflict } from '../../errors.ts'
import { type Client, idOf, isOtherUse, isRefused, needsBuyer } from './client.ts'
import { defaultPayment } from './history.ts'

/** The secret is for the buyer, when the bank wants them to confirm the payment. */
type Paid = { state: 'done' | 'processing'; confirmWith: string | null }

export function invoiceCalls(
  { sdk, ask, all, orNothing, translate }: Client,
  hasPaid: (intent: string) => Promise<boolean>,
) {
  return {
    /** Where Stripe shows an invoice or a credit note. The links expire, so they are never stored. */
    async links(id: string) {
      if (id.startsWith('cn_')) return { viewUrl: null, pdfUrl: (await ask(sdk.creditNotes.retrieve(id))).pdf }
      const { hosted_invoice_url: viewUrl, invoice_pdf: pdfUrl } = await ask(sdk.invoices.retrieve(id))
      return { viewUrl: viewUrl ?? null, pdfUrl: pdfUrl ?? null }
    },

    /** What the next renewal will charge, to the cent; null if there is none. Waits 3 s at most: someone looks at a page. */
    async nextAmount(subscription: string): Promise<number | null> {
      const request = sdk.invoices.createPreview({ subscription }, { timeout: 3000, maxNetworkRetries: 0 })
      return (await orNothing(request, isRefused))?.amount_due ?? null
    },

    /** What an ended subscription still asks for, or soon would: paid now, it would buy nothing. */
    async voidOpen(subscription: string) {
      for (const status of ['draft', 'open', 'uncollectible'] as const) {
        const { data } = await ask(sdk.invoices.list({ subscription, status, limit: 100 }))
        for (const { id } of data) {
          // Stripe neither voids nor deletes the draft of a subscription; it only stays one.
          const request =
            status === 'draft' ? sdk.invoices.update(id, { auto_advance: false }) : sdk.invoices.voidInvoice(id)
          // Someone else paid or voided it meanwhile: the next look shows which.
          await orNothing(request, isRefused)
        }
      }
    },

    /** Pays an open invoice: with this card and the buyer present, or with the card on file. */
    async pay(id: string, card?: string): Promise<Paid> {
      try {
        await ask(
          sdk.invoices.pay(id, card ? { payment_method: card, off_session: false } : { off_session: true }),
          () => true,
        )
        return { state: 'done', confirmWith: null }
      } catch (error) {
        // Whatever the refusal says: someone else, or this very request, may have paid it.
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

    /** One for every refund that has arrived; safe to repeat. If a note's refund failed later, the note covers the next one. */
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
        let left =
          arrived.reduce((sum, { amount }) => sum + amount, 0) -
          covered.reduce((sum, { amount_refunded: amount }) => sum + amount, 0)
        for (const { id: refund, amount: refunded } of arrived.toReversed()) {
          const amount = Math.min(refunded, left)
          if (credited.has(refund) || amount <= 0) continue
          left -= amount
          // It is fine if someone else has credited it, after another look.
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
