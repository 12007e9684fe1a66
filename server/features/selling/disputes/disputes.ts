import { and, desc, eq, lte, sql } from 'drizzle-orm'
import { type EvidenceFile, isAnswerable, isDecided } from '#contract/selling/disputes.ts'
import type { Actor } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import type { Transaction } from '#server/database/connect.ts'
import { type DisputeAnswer, disputes, invoices, orders, payments } from '#server/database/schema.ts'
import { conflict, notFound } from '#server/errors.ts'
import { StripeRefusal, type Subscription } from '#server/gateways/stripe.ts'

export { pdfOf } from './text-pdf.ts'

type DisputeDeps = Pick<Context, 'db' | 'now' | 'stripe' | 'audit' | 'runExclusive'> & {
  sync(subscriptionId: string): Promise<void>
}
/** Allowed difference between the shop's clock and Stripe's, whose times are whole seconds. */
const clockToleranceMs = 60_000

type EvidencePdf = { name: EvidenceFile; pdf: Buffer }

export type DisputedPayment = {
  dispute: typeof disputes.$inferSelect
  payment: typeof payments.$inferSelect
  invoice: typeof invoices.$inferSelect
  /** Latest order before the payment; null for a subscription that the seller took over. */
  order: typeof orders.$inferSelect | null
}

export type Disputes = {
  /** Reads the books, not Stripe. Throws 404. */
  find(id: string): Promise<DisputedPayment>
  save(id: string, answer: DisputeAnswer): Promise<void>
  /** The bank takes only one answer. Throws 409 if none is possible, or Stripe refuses it. */
  submit(actor: Actor, id: string, answer: DisputeAnswer, files: EvidencePdf[]): Promise<void>
}

export function createDisputes({ db, now, stripe, audit, runExclusive, sync }: DisputeDeps): Disputes {
  async function find(id: string): Promise<DisputedPayment> {
    const [found] = await db
      .select({ dispute: disputes, payment: payments, invoice: invoices })
      .from(disputes)
      .innerJoin(payments, eq(payments.paymentIntentId, disputes.paymentIntentId))
      .innerJoin(invoices, eq(invoices.id, payments.invoiceId))
      .where(eq(disputes.id, id))
    if (!found) throw notFound('Dispute')
    const { subscriptionId } = found.invoice
    const latestOrderTime = new Date(found.payment.paidAt.getTime() + clockToleranceMs)
    const [order = null] = await db
      .select()
      .from(orders)
      .where(and(eq(orders.subscriptionId, subscriptionId), lte(orders.createdAt, latestOrderTime)))
      .orderBy(desc(orders.createdAt))
      .limit(1)
    return { ...found, order }
  }

  async function findAnswerable(id: string) {
    const found = await find(id)
    const { status, dueAt } = found.dispute
    if (!isAnswerable(status)) throw conflict('already-handled', 'This dispute can’t be answered anymore.')
    if (dueAt && dueAt < now()) throw conflict('too-late', 'The bank’s deadline for this dispute has passed.')
    return found
  }

  async function save(id: string, answer: DisputeAnswer) {
    await db.update(disputes).set({ answer, savedAt: now() }).where(eq(disputes.id, id))
  }

  /** Stores and throws which permission the shop's key lacks, if that is why Stripe refuses the request. */
  async function explainMissingPermission<Result>(
    id: string,
    permission: string,
    request: Promise<Result>,
  ): Promise<Result> {
    return request.catch(async (error: unknown) => {
      if (!(error instanceof StripeRefusal) || error.fault.status !== 403) throw error
      const fault = `The shop’s key at Stripe lacks the permission “${permission}”. Add it in Stripe’s dashboard under Developers > API keys.`
      await db.update(disputes).set({ fault }).where(eq(disputes.id, id))
      throw conflict('answer-refused', fault)
    })
  }

  return {
    find,

    async save(id, answer) {
      await findAnswerable(id)
      await save(id, answer)
    },

    submit: (actor, id, answer, files) =>
      runExclusive(`dispute ${id}`, async () => {
        const { dispute, invoice } = await findAnswerable(id)
        await save(id, answer)
        const uploadedFiles: Partial<Record<EvidenceFile, string>> = {}
        for (const { name, pdf } of files) {
          const upload = stripe.disputes.uploadEvidence(`${name}.pdf`, pdf)
          uploadedFiles[name] = await explainMissingPermission(id, 'Files: write', upload)
        }
        const submission = stripe.disputes.submitEvidence(id, { ...answer.texts, ...uploadedFiles })
        await explainMissingPermission(id, 'Disputes: write', submission)
        await db.transaction(async (tx) => {
          await tx.update(disputes).set({ submittedAt: now(), fault: null }).where(eq(disputes.id, id))
          const detail = { dispute: id, amount: dispute.amount, files: Object.keys(uploadedFiles) }
          const subject = invoice.purchaseId ?? id
          await audit.record(tx, actor, { action: 'dispute.submit', subject, aboutId: invoice.userId, detail })
        })
        await sync(invoice.subscriptionId)
      }),
  }
}

/** Expects the payments in the books. Deletes drafts of answers to decided disputes. */
export async function recordDisputes(tx: Transaction, subscription: Subscription) {
  const rows = subscription.payments.flatMap((payment) =>
    payment.disputes.map((dispute) => ({ ...dispute, paymentIntentId: payment.paymentIntentId })),
  )
  if (rows.length === 0) return
  await tx
    .insert(disputes)
    .values(rows)
    .onConflictDoUpdate({
      target: disputes.id,
      set: {
        reason: sql`excluded.reason`,
        status: sql`excluded.status`,
        amount: sql`excluded.amount`,
        dueAt: sql`excluded.due_at`,
      },
    })
  for (const { id } of rows.filter(({ status }) => isDecided(status)))
    await tx.update(disputes).set({ answer: null, fault: null }).where(eq(disputes.id, id))
}
