import { and, desc, eq, inArray, sql } from 'drizzle-orm'
import type { Context } from '#server/context.ts'
import { creditNotes, invoices, payments, purchases } from '#server/database/schema.ts'
import { conflict, notFound, Refusal } from '#server/errors.ts'
import { findPurchase } from '../purchases/purchases.ts'

type DocumentDeps = Pick<Context, 'db' | 'now' | 'stripe' | 'attempts' | 'isLinkToken'>
type InvoiceDocument = {
  id: string
  kind: 'invoice' | 'credit_note'
  number: string | null
  createdAt: Date
  amount: number
  status: string
  hasDocument: boolean
}
type DocumentLinks = { viewUrl: string | null; pdfUrl: string | null }
type EmailedLink = { purchase: string; invoice: string; token: string }

/** From the books; Stripe is called only for links. Throws 404 for another person's purchase or document. */
export type Documents = {
  /** Newest first. */
  list(userId: string, purchaseId: string): Promise<InvoiceDocument[]>
  /** All documents of a person's purchases. Refunds are already deducted from `paid`. */
  summaryOf(userId: string): Promise<{ documents: InvoiceDocument[]; paid: number; refunded: number }>
  linksOf(userId: string, documentId: string): Promise<DocumentLinks>
  latestInvoice(userId: string, purchaseId: string): Promise<{ invoiceUrl: string }>
  /** Works without a login, for guests without a password: until the invoice is paid, then once more. */
  openEmailed(link: EmailedLink): Promise<{ invoiceUrl: string }>
}

const emailedLinkSeconds = 30 * 86_400

export function createDocuments({ db, now, stripe, attempts, isLinkToken }: DocumentDeps): Documents {
  /** Stripe has no document for drafts, and none in this account for invoices of a former account. */
  const hasDocument = sql<boolean>`${invoices.finalizedAt} is not null and ${invoices.formerAccount} is null`

  async function readViewUrl(invoiceId: string) {
    const { viewUrl } = await stripe.invoices.links(invoiceId)
    if (!viewUrl) throw notFound('Invoice')
    return { invoiceUrl: viewUrl }
  }

  async function listDocuments(purchaseIds: string[]): Promise<InvoiceDocument[]> {
    const invoiceRows = await db
      .select({ invoice: invoices, hasDocument })
      .from(invoices)
      .where(inArray(invoices.purchaseId, purchaseIds))
      .orderBy(desc(invoices.createdAt), desc(invoices.number))
    const creditNoteRows = await db
      .select({ creditNote: creditNotes, hasDocument })
      .from(creditNotes)
      .innerJoin(invoices, eq(invoices.id, creditNotes.invoiceId))
      .where(inArray(invoices.purchaseId, purchaseIds))
      .orderBy(desc(creditNotes.createdAt), desc(creditNotes.number))
    const documents: InvoiceDocument[] = []
    for (const row of creditNoteRows)
      documents.push({ kind: 'credit_note', ...documentOutput(row.creditNote), hasDocument: row.hasDocument })
    for (const row of invoiceRows)
      documents.push({ kind: 'invoice', ...documentOutput(row.invoice), hasDocument: row.hasDocument })
    // The sort is stable: a credit note of the same second as its invoice stays before it, as the newer one.
    return documents.toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime())
  }

  return {
    async list(userId, purchaseId) {
      await findPurchase(db, purchaseId, userId)
      return listDocuments([purchaseId])
    },

    async summaryOf(userId) {
      const ownPurchases = await db.select().from(purchases).where(eq(purchases.userId, userId))
      const ids = ownPurchases.map(({ id }) => id)
      const [paidThroughStripe] = await db
        .select({ amount: sql<number>`coalesce(sum(${payments.amount} - ${payments.lostAmount}), 0)::int` })
        .from(payments)
        .where(inArray(payments.purchaseId, ids))
      let paidByHand = 0
      let refunded = 0
      for (const { paidThrough, bookedAs, price, refundedAmount } of ownPurchases) {
        if (paidThrough === 'hand' && bookedAs !== 'gift') paidByHand += price
        refunded += refundedAmount
      }
      const paid = (paidThroughStripe?.amount ?? 0) + paidByHand - refunded
      return { documents: await listDocuments(ids), paid: Math.max(0, paid), refunded }
    },

    async linksOf(userId, documentId) {
      const isCreditNote = documentId.startsWith('cn_')
      const isDocument = eq(isCreditNote ? creditNotes.id : invoices.id, documentId)
      const [found] = await db
        .select({ id: invoices.id })
        .from(invoices)
        .leftJoin(creditNotes, eq(creditNotes.invoiceId, invoices.id))
        .where(and(eq(invoices.userId, userId), hasDocument, isDocument))
      if (!found) throw notFound('Invoice')
      return stripe.invoices.links(documentId)
    },

    async latestInvoice(userId, purchaseId) {
      const { paidThrough } = await findPurchase(db, purchaseId, userId)
      if (paidThrough === 'hand')
        throw conflict('booked-by-hand', 'There is no invoice for this purchase: it was not paid through this shop')
      const [latest] = await db
        .select({ id: invoices.id })
        .from(invoices)
        .where(and(eq(invoices.purchaseId, purchaseId), hasDocument))
        .orderBy(desc(invoices.createdAt), desc(invoices.number))
        .limit(1)
      if (!latest) throw notFound('Invoice')
      return readViewUrl(latest.id)
    },

    async openEmailed({ purchase, invoice: invoiceId, token }) {
      if (!isLinkToken('invoice', `${purchase} ${invoiceId}`, token))
        throw new Refusal(400, 'link-invalid', 'This link is not valid')
      const [found] = await db
        .select({ createdAt: invoices.createdAt, status: invoices.status })
        .from(invoices)
        .where(and(eq(invoices.id, invoiceId), eq(invoices.purchaseId, purchase), hasDocument))
      if (!found) throw notFound('Invoice')
      const hasExpired = now().getTime() - found.createdAt.getTime() > emailedLinkSeconds * 1000
      if (hasExpired) throw linkExpired()
      // Read before the use is counted, so that a failure at Stripe doesn't use up the link.
      const link = await readViewUrl(invoiceId)
      const canBePaid = found.status === 'open' || found.status === 'uncollectible'
      const oncePerLink = { requests: 1, seconds: emailedLinkSeconds }
      if (!canBePaid && !(await attempts.countAndCheck('invoice link', invoiceId, oncePerLink))) throw linkExpired()
      return link
    },
  }
}

const linkExpired = () =>
  new Refusal(410, 'link-expired', 'This link has been used or has expired. Please log in to see your invoices.')

type DocumentColumns = { id: string; number: string | null; createdAt: Date; total: number; status: string }

const documentOutput = ({ id, number, createdAt, total, status }: DocumentColumns) => ({
  id,
  number,
  createdAt,
  amount: total,
  status,
})
