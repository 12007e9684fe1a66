import { conflict } from '../../errors.ts'
import { sumOf } from './amounts.ts'
import { type Client, idOf, isKeyConflict, isRefused, needsBuyer } from './client.ts'
import { defaultPayment } from './history.ts'

/** `confirmWith` is the client secret for the buyer's confirmation, if the bank asks for one. */
type PaymentResult = { state: 'done' | 'processing'; confirmWith: string | null }

export function invoiceCalls(
  { sdk, ask, all, orNothing, translate }: Client,
  hasPaid: (intent: string) => Promise<boolean>,
) {
  return {
    /** The links expire, so they are never stored. */
    async links(id: string) {
      if (id.startsWith('cn_')) return { viewUrl: null, pdfUrl: (await ask(sdk.creditNotes.retrieve(id))).pdf }
      const { hosted_invoice_url: viewUrl, invoice_pdf: pdfUrl } = await ask(sdk.invoices.retrieve(id))
      return { viewUrl: viewUrl ?? null, pdfUrl: pdfUrl ?? null }
    },

    /** Null if there is no next renewal. Waits at most 3 s, because a page depends on it. */
    async nextAmount(subscription: string): Promise<number | null> {
      const request = sdk.invoices.createPreview({ subscription }, { timeout: 3000, maxNetworkRetries: 0 })
      return (await orNothing(request, isRefused))?.amount_due ?? null
    },

    /** The open invoices of an ended subscription would buy nothing. */
    async voidOpen(subscription: string) {
      for (const status of ['draft', 'open', 'uncollectible'] as const) {
        const { data } = await ask(sdk.invoices.list({ subscription, status, limit: 100 }))
        for (const { id } of data) {
          // Stripe can neither void nor delete the draft of a subscription; without auto_advance, it stays a draft.
          const request =
            status === 'draft' ? sdk.invoices.update(id, { auto_advance: false }) : sdk.invoices.voidInvoice(id)
          // Ignores a refusal: the invoice was paid or voided concurrently, and the next sync reads which.
          await orNothing(request, isRefused)
        }
      }
    },

    /** With a `card`, the buyer is present. Otherwise charges the card on file. */
    async pay(id: string, card?: string): Promise<PaymentResult> {
      const params = card ? { payment_method: card, off_session: false } : { off_session: true }
      const keepsStripesError = () => true
      try {
        await ask(sdk.invoices.pay(id, params), keepsStripesError)
        return { state: 'done', confirmWith: null }
      } catch (error) {
        // Reads the invoice again after a refusal: a concurrent request may have paid it.
        const invoice = await ask(sdk.invoices.retrieve(id, { expand: ['confirmation_secret', 'payments'] }))
        const { status, confirmation_secret: secret, payments } = invoice
        if (status === 'paid') return { state: 'done', confirmWith: null }
        if (needsBuyer(error)) return { state: 'processing', confirmWith: secret?.client_secret ?? null }
        // The payment has succeeded, but Stripe has not updated the invoice yet.
        for (const { payment } of payments?.data ?? []) {
          const intent = idOf(payment.payment_intent)
          if (intent && (await hasPaid(intent))) return { state: 'processing', confirmWith: null }
        }
        if (status !== 'open' && isRefused(error))
          throw conflict('invoice-closed', 'This invoice can no longer be paid.')
        throw translate(error)
      }
    },

    /** Issues credit notes for these refunds. Idempotent. A note whose refund failed covers the next refund. */
    async creditRefunds(subscription: string, refundIds: string[]) {
      const invoices = await all(sdk.invoices.list({ subscription, expand: ['data.payments'], limit: 100 }))
      for (const { id: invoice, payments, status } of invoices) {
        const intent = idOf(defaultPayment(payments?.data)?.payment.payment_intent)
        if (status !== 'paid' || !intent) continue
        const refunds = await ask(sdk.refunds.list({ payment_intent: intent, limit: 100 }))
        if (!refunds.data.some(({ id }) => refundIds.includes(id))) continue
        const notes = await ask(sdk.creditNotes.list({ invoice, limit: 100 }))
        const notedRefunds = notes.data.flatMap((note) => (note.status === 'issued' ? note.refunds : []))
        const notedRefundIds = new Set(notedRefunds.map(({ refund }) => idOf(refund)))
        const notedAmount = notedRefunds.reduce((sum, { amount_refunded: amount }) => sum + amount, 0)
        const refundsWithNote = refunds.data.filter(
          (refund) => refund.status === 'succeeded' && (notedRefundIds.has(refund.id) || refundIds.includes(refund.id)),
        )
        let amountToCredit = sumOf(refundsWithNote) - notedAmount
        for (const { id: refund, amount: refundedAmount } of refundsWithNote.toReversed()) {
          const amount = Math.min(refundedAmount, amountToCredit)
          if (notedRefundIds.has(refund) || amount <= 0) continue
          amountToCredit -= amount
          // Ignores a used key: another process has issued the note.
          await orNothing(
            sdk.creditNotes.create(
              // No email by Stripe, because the shop sends its own about the refund.
              { invoice, amount, refunds: [{ refund, amount_refunded: amount }], email_type: 'none' },
              { idempotencyKey: `credit-note-${refund}` },
            ),
            isKeyConflict,
          )
        }
      }
    },
  }
}
