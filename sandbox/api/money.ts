import { addInvoiceItem, buildInvoice, periodEntries } from '../billing/bills.ts'
import { answerDispute, refund } from '../billing/disputes.ts'
import { markUncollectible, payOutOfBand, voidInvoice } from '../billing/invoices.ts'
import { calculatePlanChange } from '../billing/plan-changes.ts'
import { finalizeDraft, finishPendingPayment, nextPeriod, payInvoice } from '../billing/subscriptions.ts'
import { invalid } from '../failure.ts'
import { newCreditNote } from '../objects/credit-note.ts'
import { asFinalized, type Invoice } from '../objects/invoice.ts'
import { evidenceFiles, evidenceTexts, newFile } from '../objects/payment.ts'
import type { Subscription } from '../objects/subscription.ts'
import type { Work } from '../work.ts'
import { resolveMethod } from './methods.ts'
import { choice, flag, group, integer, list, metadata, type Params, required, text } from './params.ts'
import { listRoute, readRoute, route } from './route.ts'
import { planParams, readPlanChange } from './subscriptions.ts'

/** Locks the customer of the payment intent, which is also the charge's. */
export async function getChargeForUpdate(work: Work, intent: string) {
  const { latest_charge: latest, status } = await work.getForUpdate('payment_intent', intent)
  if (latest === null || status !== 'succeeded') {
    throw invalid(`This PaymentIntent (${intent}) does not have a successful charge to refund.`, 'payment_intent')
  }
  return work.get('charge', latest)
}

async function previewPlanChange(work: Work, before: Subscription, params: Params<typeof planParams>) {
  const { after, entries } = await calculatePlanChange(work, before, await readPlanChange(work, before, params))
  return { subscription: after, reason: 'subscription_update' as const, entries }
}

function previewRenewal(before: Subscription) {
  if (before.ended_at !== null || before.cancel_at !== null)
    throw invalid('No upcoming invoices for a subscription that ends.', 'subscription', 'invoice_upcoming_none')
  const { subscription, period } = nextPeriod(before)
  return {
    subscription,
    reason: 'subscription_cycle' as const,
    entries: periodEntries(subscription, period),
    discountsAt: period.start,
  }
}

export const moneyRoutes = [
  route(
    'POST /v1/invoices/create_preview',
    {
      subscription: required(text),
      subscription_details: group({ ...planParams, proration_behavior: required(choice('always_invoice')) }),
    },
    async ({ work, params: { subscription: id, subscription_details: planDetails } }) => {
      const before = await work.getForUpdate('subscription', id)
      const { invoice, customer } = await buildInvoice(
        work,
        planDetails ? await previewPlanChange(work, before, planDetails) : previewRenewal(before),
      )
      const { ending_balance: endingBalance } = asFinalized(invoice, customer, work.now)
      return { ...invoice, id: `upcoming_${invoice.id}`, ending_balance: endingBalance }
    },
  ),
  readRoute('invoice'),
  route('POST /v1/invoices/:id', { auto_advance: required(flag) }, async ({ work, id, params }) => {
    const invoice = await work.getForUpdate('invoice', id)
    return work.update(invoice, { ...invoice, auto_advance: params.auto_advance })
  }),
  listRoute(
    'invoice',
    { customer: text, status: choice('draft', 'open', 'paid', 'uncollectible', 'void'), subscription: text },
    ({ subscription, ...match }) => ({
      ...match,
      ...(subscription && { parent: { subscription_details: { subscription } } }),
    }),
  ),
  route(
    'POST /v1/invoices/:id/pay',
    { off_session: flag, paid_out_of_band: flag, payment_method: text },
    async ({ work, id, params }) => {
      const invoice = await work.getForUpdate('invoice', id)
      if (params.paid_out_of_band) return payOutOfBand(work, invoice)
      const method = params.payment_method ? await resolveMethod(work, params.payment_method) : undefined
      return payInvoice(work, invoice, method)
    },
  ),
  route('POST /v1/invoices/:id/finalize', { auto_advance: flag }, async ({ work, id, params }) => {
    const invoice = await work.getForUpdate('invoice', id)
    if (invoice.status !== 'draft')
      throw invalid("This invoice is already finalized, you can't re-finalize a non-draft invoice.")
    return finalizeDraft(work, { ...invoice, auto_advance: params.auto_advance ?? invoice.auto_advance })
  }),
  route(
    'POST /v1/invoiceitems',
    {
      amount: required(integer),
      currency: required(text),
      customer: required(text),
      description: text,
      discountable: required(choice('false')),
      subscription: required(text),
    },
    async ({ work, params: { amount, customer, description = '', subscription: id } }) => {
      await work.getForUpdate('customer', customer)
      const subscription = await work.get('subscription', id)
      return addInvoiceItem(work, subscription, amount, description)
    },
  ),
  readRoute('invoiceitem'),
  listRoute('invoiceitem', { customer: text }),
  route('POST /v1/invoices/:id/mark_uncollectible', {}, async ({ work, id }) => {
    const invoice = await work.getForUpdate('invoice', id)
    if (invoice.status !== 'open') throw invalid(`You can only mark open invoices. This invoice is ${invoice.status}.`)
    return markUncollectible(work, invoice)
  }),
  route('POST /v1/invoices/:id/void', {}, async ({ work, id }) => {
    const invoice = await finishPendingPayment(work, await work.getForUpdate('invoice', id))
    if (invoice.status !== 'open' && invoice.status !== 'uncollectible') {
      throw invalid(
        `You can only pass in open or uncollectible invoices. This invoice is ${invoice.status}.`,
        'invoice',
      )
    }
    return voidInvoice(work, invoice)
  }),
  listRoute('invoice_payment', {
    invoice: text,
    payment: group({ payment_intent: text, type: required(choice('payment_intent')) }),
  }),
  readRoute('charge'),
  listRoute('charge', { customer: text, payment_intent: text }),
  route(
    'POST /v1/refunds',
    {
      amount: integer,
      metadata,
      payment_intent: required(text),
      reason: choice('duplicate', 'fraudulent', 'requested_by_customer'),
    },
    async ({ work, params }) => {
      const charge = await getChargeForUpdate(work, params.payment_intent)
      return refund(work, charge, params.amount, params.reason ?? null, params.metadata)
    },
  ),
  readRoute('refund'),
  listRoute('refund', { charge: text, payment_intent: text }),
  readRoute('dispute'),
  listRoute('dispute', { charge: text, payment_intent: text }),
  route(
    'POST /v1/disputes/:id',
    {
      evidence: group(Object.fromEntries([...evidenceTexts, ...evidenceFiles].map((name) => [name, text]))),
      submit: flag,
    },
    async ({ work, id, params: { evidence = {}, submit } }) =>
      answerDispute(work, await work.getForUpdate('dispute', id), evidence, submit ?? true),
  ),
  route(
    'POST /v1/files',
    {
      purpose: required(choice('dispute_evidence')),
      file: required(group({ name: required(text), type: required(text), data: text })),
    },
    async ({ work, params: { purpose, file } }) => {
      const { data = '' } = file
      if (data === '') throw invalid('The file that you uploaded is empty.', 'file')
      if (!/^(application\/pdf|image\/(png|jpeg))$/.test(file.type))
        throw invalid(`The file type ${file.type} is not supported for dispute_evidence.`, 'file')
      return work.insert(newFile(work.now, purpose, { ...file, data }))
    },
  ),
  readRoute('file'),
]

async function getTax(work: Work, invoice: Invoice) {
  const [tax] = invoice.total_taxes
  return tax ? { rate: await work.get('tax_rate', tax.tax_rate_details.tax_rate), reason: tax.taxability_reason } : null
}

export const creditNoteRoutes = [
  route(
    'POST /v1/credit_notes',
    {
      amount: required(integer),
      credit_amount: integer,
      email_type: choice('credit_note', 'none'),
      invoice: required(text),
      refunds: list(required(group({ amount_refunded: required(integer), refund: required(text) }))),
    },
    async ({ work, params: { amount, credit_amount: creditAmount = 0, invoice: id, refunds = [] } }) => {
      const invoice = await work.getForUpdate('invoice', id)
      if (invoice.status !== 'paid') throw invalid('The sandbox credits only what was paid.', 'invoice')
      // Credit is a negative balance, so the balance grows when credit pays.
      const paidByCredit = (invoice.ending_balance ?? 0) - invoice.starting_balance
      const creditable = invoice.amount_paid + paidByCredit - invoice.post_payment_credit_notes_amount
      if (amount < 1 || amount > creditable)
        throw invalid(`The credit note amount must be between 1 and ${creditable}.`, 'amount')
      const refundedAmount = refunds.reduce((sum, { amount_refunded }) => sum + amount_refunded, 0)
      if (refundedAmount + creditAmount !== amount)
        throw invalid('The refunds and credits must add up to the amount of the credit note.', 'refunds')
      for (const [index, { refund: refundId }] of refunds.entries())
        await work.get('refund', refundId, `refunds[${index}][refund]`)
      const earlierNoteCount = (await work.all('credit_note', { invoice: id })).length
      const tax = await getTax(work, invoice)
      await work.save({
        ...invoice,
        post_payment_credit_notes_amount: invoice.post_payment_credit_notes_amount + amount,
      })
      const customer = await work.customer(invoice.customer)
      if (creditAmount > 0) await work.save({ ...customer, balance: customer.balance - creditAmount })
      return work.create(newCreditNote({ now: work.now, invoice, amount, refunds, tax, earlierNoteCount }))
    },
  ),
  // An update without changes, by which a shop finds out whether its key may write credit notes.
  route('POST /v1/credit_notes/:id', {}, ({ work, id }) => work.get('credit_note', id)),
  readRoute('credit_note'),
  listRoute('credit_note', { invoice: text }),
]
