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
/** Stripe's times are whole seconds of its own clock. */
const clockDifferenceMs = 60_000

type EvidencePdf = { name: EvidenceFile; pdf: Buffer }

export type DisputedPayment = {
  dispute: typeof disputes.$inferSelect
  payment: typeof payments.$inferSelect
  invoice: typeof invoices.$inferSelect
  /** The order that the payment follows from; null for a subscription that the seller took over. */
  order: typeof orders.$inferSelect | null
}

export type Disputes = {
  /** Reads the books, not Stripe. Throws 404. */
  find(id: string): Promise<DisputedPayment>
  save(id: string, answer: DisputeAnswer): Promise<void>
  /** Final: the bank gets it. Throws 409 if it can't be answered, or if Stripe refuses it. */
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
    const paidAt = new Date(found.payment.paidAt.getTime() + clockDifferenceMs)
    const [order = null] = await db
      .select()
      .from(orders)
      .where(and(eq(orders.subscriptionId, subscriptionId), lte(orders.createdAt, paidAt)))
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

  /** Keeps the reason on the screen, and says it, if the key lacks a permission. */
  async function withPermission<Answer>(id: string, permission: string, request: Promise<Answer>): Promise<Answer> {
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
        const uploaded: Partial<Record<EvidenceFile, string>> = {}
        for (const { name, pdf } of files)
          uploaded[name] = await withPermission(id, 'Files: write', stripe.disputes.uploadEvidence(`${name}.pdf`, pdf))
        const evidence = { ...answer.texts, ...uploaded }
        await withPermission(id, 'Disputes: write', stripe.disputes.submitEvidence(id, evidence))
        await db.transaction(async (tx) => {
          await tx.update(disputes).set({ submittedAt: now(), fault: null }).where(eq(disputes.id, id))
          const detail = { dispute: id, amount: dispute.amount, files: Object.keys(uploaded) }
          const subject = invoice.purchaseId ?? id
          await audit.record(tx, actor, { action: 'dispute.submit', subject, aboutId: invoice.userId, detail })
        })
        await sync(invoice.subscriptionId)
      }),
  }
}

/** Brings the disputes of a subscription's payments up to date. Expects their payments in the books. */
export async function recordDisputes(tx: Transaction, { payments: paid }: Subscription) {
  const rows = paid.flatMap(({ paymentIntentId, disputes: all }) => all.map((each) => ({ ...each, paymentIntentId })))
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
