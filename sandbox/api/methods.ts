import { cardOfToken, declineError, readCard } from '../billing/cards.ts'
import { attach } from '../billing/payments.ts'
import { Failure, invalid } from '../failure.ts'
import { newPaymentMethod, type PaymentMethod } from '../objects/customer.ts'
import type { Work } from '../work.ts'
import { address, choice, clearable, group, integer, type Params, readAddress, required, text } from './params.ts'
import { listRoute, route } from './route.ts'

export const methodData = {
  type: required(choice('card')),
  card: group({ number: required(text), exp_month: required(integer), exp_year: required(integer), cvc: text }),
  billing_details: group({ address, email: clearable(text), name: clearable(text), phone: clearable(text) }),
}

export async function createMethod(work: Work, data: Params<typeof methodData>): Promise<PaymentMethod> {
  if (!data.card) throw invalid('Missing required param: card.', 'card', 'parameter_missing')
  const { billing_details: billing } = data
  const method = newPaymentMethod(work.now, readCard(data.card), {
    address: readAddress(null, billing?.address),
    email: billing?.email ?? null,
    name: billing?.name ?? null,
    phone: billing?.phone ?? null,
    tax_id: null,
  })
  return work.insert(method)
}

/** Also accepts test tokens such as `pm_card_visa`. */
export async function resolveMethod(work: Work, id: string, param = 'payment_method'): Promise<PaymentMethod> {
  const card = cardOfToken(id, work.now)
  if (card) return work.insert(newPaymentMethod(work.now, card))
  // Locks the row, because two customers could attach the same card at the same time.
  return work.get('payment_method', id, param, 'lock')
}

export async function assertOwnCard(work: Work, id: string | null | undefined, customer: string, param: string) {
  if (!id) return
  const method = await work.get('payment_method', id, param)
  if (method.customer === customer) return
  const message = `The customer does not have a payment method with the ID ${id}. The payment method must be attached to the customer.`
  throw invalid(message, param, 'resource_missing')
}

export const methodRoutes = [
  route('POST /v1/payment_methods/:id/attach', { customer: required(text) }, async ({ work, id, params }) => {
    await work.getForUpdate('customer', params.customer, 'customer')
    const customer = await work.customer(params.customer)
    const method = await resolveMethod(work, id)
    const { behaviour } = method.$sandbox
    if (behaviour.outcome === 'declines' && behaviour.when === 'always') {
      throw new Failure(402, declineError(behaviour))
    }
    if (method.customer !== null && method.customer !== customer.id) {
      throw invalid('The payment method you provided has already been attached to a customer.', 'payment_method')
    }
    return attach(work, method, customer.id)
  }),
  listRoute('payment_method', { customer: text }),
]
