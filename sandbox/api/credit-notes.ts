import { invalid } from '../failure.ts'
import { newCreditNote } from '../objects/credit-note.ts'
import type { Invoice } from '../objects/invoice.ts'
import type { Work } from '../work.ts'
import { group, integer, list, paging, range, required, text } from './params.ts'
import { route } from './route.ts'

/** The tax of the invoice, so that both add up. */
async function taxOf(work: Work, invoice: Invoice) {
  const [tax] = invoice.total_taxes
  return tax
    ? { rate: await work.get('tax_rate', tax.tax_rate_details.tax_rate), reason: tax.taxability_reason }
    : null
}

export const creditNoteRoutes = [
  route(
    'POST',
    '/v1/credit_notes',
    {
      amount: required(integer),
      invoice: required(text),
      refunds: list(required(group({ amount_refunded: required(integer), refund: required(text) }))),
    },
    async ({ work, params: { amount, invoice: id, refunds = [] } }) => {
      const invoice = await work.claim('invoice', id)
      if (invoice.status !== 'paid') throw invalid('The sandbox credits only what was paid.', 'invoice')
      const left = invoice.amount_paid - invoice.post_payment_credit_notes_amount
      if (amount < 1 || amount > left)
        throw invalid(`The credit note amount must be between 1 and ${left}.`, 'amount')
      if (refunds.reduce((sum, each) => sum + each.amount_refunded, 0) !== amount)
        throw invalid('The refunds must add up to the amount of the credit note.', 'refunds')
      for (const [index, { refund }] of refunds.entries())
        await work.get('refund', refund, `refunds[${index}][refund]`)
      const before = (await work.all('credit_note', { invoice: id })).length
      const tax = await taxOf(work, invoice)
      const note = await work.insert(newCreditNote({ now: work.now, invoice, amount, refunds, tax, before }))
      await work.save({
        ...invoice,
        post_payment_credit_notes_amount: invoice.post_payment_credit_notes_amount + amount,
      })
      work.emit('credit_note.created', note)
      return note
    },
  ),
  route('POST', '/v1/credit_notes/:id', {}, ({ work, id }) => work.get('credit_note', id)),
  route('GET', '/v1/credit_notes/:id', {}, ({ work, id }) => work.get('credit_note', id)),
  route(
    'GET',
    '/v1/credit_notes',
    { ...paging, created: range, customer: text, invoice: text },
    ({ work, params: { customer, invoice, created, ...page } }) =>
      work.list('credit_note', '/v1/credit_notes', { match: { customer, invoice }, created }, page),
  ),
]
