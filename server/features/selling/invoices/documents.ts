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
type MailedLink = { purchase: string; invoice: string; token: string }

/** Invoices and credit notes as the books have them. Calls Stripe only for the link of the document that is opened. */
export type Documents = {
  /** Newest first. Throws 404 for someone else's purchase. */
  list(userId: string, purchaseId: string): Promise<InvoiceDocument[]>
  /** All documents of a person's purchases, with the sums of payments and refunds in cents. */
  summaryOf(userId: string): Promise<{ documents: InvoiceDocument[]; paid: number; refunded: number }>
  /** Throws 404 for a document of someone else, and for one that Stripe does not show. */
  linksOf(userId: string, documentId: string): Promise<DocumentLinks>
  latest(userId: string, purchaseId: string): Promise<{ invoiceUrl: string }>
  /** Opens the invoice of a receipt's link once without a login, for guests without a password. */
  openMailed(link: MailedLink): Promise<{ invoiceUrl: string }>
}

const linkSeconds = 30 * 86_400

export function createDocuments({ db, now, stripe, attempts, isLinkToken }: DocumentDeps): Documents {
  const isShown = sql<boolean>`${invoices.finalizedAt} is not null and ${invoices.formerAccount} is null`

  async function viewUrlOf(invoiceId: string) {
    const { viewUrl } = await stripe.invoices.links(invoiceId)
    if (!viewUrl) throw notFound('Invoice')
    return { invoiceUrl: viewUrl }
  }

  async function listOf(purchaseIds: string[]): Promise<InvoiceDocument[]> {
    const issued = await db
      .select({ invoice: invoices, hasDocument: isShown })
      .from(invoices)
      .where(inArray(invoices.purchaseId, purchaseIds))
      .orderBy(desc(invoices.createdAt), desc(invoices.number))
    const notes = await db
      .select({ note: creditNotes, hasDocument: isShown })
      .from(creditNotes)
      .innerJoin(invoices, eq(invoices.id, creditNotes.invoiceId))
      .where(inArray(invoices.purchaseId, purchaseIds))
      .orderBy(desc(creditNotes.createdAt), desc(creditNotes.number))
    return [
      ...notes.map(({ note, hasDocument }) => ({ ...documentOutput(note), kind: 'credit_note' as const, hasDocument })),
      ...issued.map(({ invoice, hasDocument }) => ({
        ...documentOutput(invoice),
        kind: 'invoice' as const,
        hasDocument,
      })),
      // Stable: within one second, a credit note comes after its invoice.
    ].toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime())
  }

  return {
    async list(userId, purchaseId) {
      await findPurchase(db, purchaseId, userId)
      return listOf([purchaseId])
    },

    async summaryOf(userId) {
      const owned = await db.select().from(purchases).where(eq(purchases.userId, userId))
      const ids = owned.map(({ id }) => id)
      const [received] = await db
        .select({ amount: sql<number>`coalesce(sum(${payments.amount}), 0)::int` })
        .from(payments)
        .where(inArray(payments.purchaseId, ids))
      const byHand = owned.filter((row) => row.paidThrough === 'hand' && row.bookedAs !== 'gift')
      const refunded = owned.reduce((sum, { refundedAmount }) => sum + refundedAmount, 0)
      const paid = byHand.reduce((sum, { price }) => sum + price, received?.amount ?? 0) - refunded
      return { documents: await listOf(ids), paid: Math.max(0, paid), refunded }
    },

    async linksOf(userId, documentId) {
      const [found] = await db
        .select({ id: invoices.id })
        .from(invoices)
        .leftJoin(creditNotes, eq(creditNotes.invoiceId, invoices.id))
        .where(
          and(
            eq(invoices.userId, userId),
            isShown,
            documentId.startsWith('cn_') ? eq(creditNotes.id, documentId) : eq(invoices.id, documentId),
          ),
        )
      if (!found) throw notFound('Invoice')
      return stripe.invoices.links(documentId)
    },

    async latest(userId, purchaseId) {
      const { paidThrough } = await findPurchase(db, purchaseId, userId)
      if (paidThrough === 'hand')
        throw conflict('booked-by-hand', 'There is no invoice for this purchase: it was not paid through this shop')
      const [latest] = await db
        .select({ id: invoices.id })
        .from(invoices)
        .where(and(eq(invoices.purchaseId, purchaseId), isShown))
        .orderBy(desc(invoices.createdAt), desc(invoices.number))
        .limit(1)
      if (!latest) throw notFound('Invoice')
      return viewUrlOf(latest.id)
    },

    async openMailed({ purchase, invoice: invoiceId, token }) {
      if (!isLinkToken('invoice', `${purchase} ${invoiceId}`, token))
        throw new Refusal(400, 'link-invalid', 'This link is not valid')
      const [found] = await db
        .select({ createdAt: invoices.createdAt })
        .from(invoices)
        .where(and(eq(invoices.id, invoiceId), eq(invoices.purchaseId, purchase), isShown))
      if (!found) throw notFound('Invoice')
      const isOld = now().getTime() - found.createdAt.getTime() > linkSeconds * 1000
      const isFirst = await attempts.allows('invoice link', invoiceId, { requests: 1, seconds: linkSeconds })
      if (isOld || !isFirst)
        throw new Refusal(
          410,
          'link-expired',
          'This link has been used or has expired. Please log in to see your invoices.',
        )
      return viewUrlOf(invoiceId)
    },
  }
}

type DocumentColumns = { id: string; number: string | null; createdAt: Date; total: number; status: string }

const documentOutput = ({ id, number, createdAt, total, status }: DocumentColumns) => ({
  id,
  number,
  createdAt,
  amount: total,
  status,
})
