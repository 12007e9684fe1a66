import StripeSdk, { type Stripe } from 'stripe'
import { ask } from './answers.ts'
import { date } from './values.ts'

export function invoiceCalls(stripe: Stripe) {
  return {
    async invoices(subscription: string) {
      const { data } = await ask(stripe.invoices.list({ subscription, limit: 100 }))
      return data.map((invoice) => ({
        id: invoice.id,
        number: invoice.number,
        createdAt: date(invoice.created),
        amount: invoice.total,
        status: invoice.status ?? 'draft',
        invoiceUrl: invoice.hosted_invoice_url ?? null,
        pdfUrl: invoice.invoice_pdf ?? null,
      }))
    },

    /** Pays an open invoice. Answers a secret when the bank wants the buyer to confirm it. */
    async payInvoice(id: string, card: string): Promise<string | null> {
      try {
        await ask(stripe.invoices.pay(id, { payment_method: card }))
        return null
      } catch (error) {
        if (!(error instanceof StripeSdk.errors.StripeError)) throw error
        if (error.code === 'invoice_already_paid') return null
        if (error.code !== 'invoice_payment_intent_requires_action') throw error
        const invoice = await ask(stripe.invoices.retrieve(id, { expand: ['confirmation_secret'] }))
        return invoice.confirmation_secret?.client_secret ?? null
      }
    },
  }
}
