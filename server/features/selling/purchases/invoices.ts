import { notFound, Refusal } from '#server/errors.ts'
import type { StripeGateway } from '#server/gateways/stripe.ts'
import type { Attempts } from '#server/security/attempts.ts'
import type { Secrets } from '#server/security/secrets.ts'
import type { Lookup } from './lookup.ts'

type Dependencies = {
  now: () => Date
  stripe: StripeGateway
  lookup: Lookup
  attempts: Pick<Attempts, 'allows'>
  isLinkToken: Secrets['isLinkToken']
}

type InvoiceLink = { purchase: string; invoice: string; token: string }
const linkSeconds = 30 * 86_400

/** A buyer's invoices, as Stripe has them. */
export function createInvoices({ now, stripe, lookup, attempts, isLinkToken }: Dependencies) {
  return {
    /** Fetched on every click, because Stripe's links expire. */
    async invoice(userId: string, id: string) {
      const subscriptionId = await lookup.findSubscription(
        id,
        userId,
        'There is no invoice for this purchase: it was not paid through this shop',
      )
      const invoices = await stripe.invoices(subscriptionId)
      const invoiceUrl = invoices.find((invoice) => invoice.invoiceUrl)?.invoiceUrl
      if (!invoiceUrl) throw notFound('Invoice')
      return { invoiceUrl }
    },

    async invoices(userId: string, id: string) {
      const { stripeSubscriptionId } = await lookup.find(id, userId)
      return stripeSubscriptionId ? stripe.invoices(stripeSubscriptionId) : []
    },

    /** A receipt's link opens its invoice once, also for a guest who has no password yet; later it takes a login. */
    async openInvoice({ purchase: id, invoice: invoiceId, token }: InvoiceLink) {
      if (!isLinkToken('invoice', `${id} ${invoiceId}`, token))
        throw new Refusal(400, 'link-invalid', 'This link is not valid')
      const { stripeSubscriptionId } = await lookup.find(id)
      const invoices = stripeSubscriptionId ? await stripe.invoices(stripeSubscriptionId) : []
      const found = invoices.find((invoice) => invoice.id === invoiceId)
      if (!found?.invoiceUrl) throw notFound('Invoice')
      const isOld = now().getTime() - found.createdAt.getTime() > linkSeconds * 1000
      const isFirst = await attempts.allows('invoice link', invoiceId, { requests: 1, seconds: linkSeconds })
      if (isOld || !isFirst)
        throw new Refusal(
          410,
          'link-expired',
          'This link has been used or has expired. Please log in to see your invoices.',
        )
      return { invoiceUrl: found.invoiceUrl }
    },
  }
}
