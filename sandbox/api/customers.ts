import { listOf } from '../basics.ts'
import { cancelSubscription } from '../billing/subscriptions.ts'
import { assertTaxLocation, taxIdsOf } from '../billing/tax.ts'
import { invalid } from '../failure.ts'
import { type Customer, deletedObject, newCustomer, newTaxId } from '../objects/customer.ts'
import {
  address,
  choice,
  clearable,
  group,
  metadata,
  type Params,
  paging,
  readAddress,
  required,
  text,
  withChanges,
} from './params.ts'
import { listRoute, readRoute, route } from './route.ts'

const editable = {
  address,
  email: clearable(text),
  invoice_settings: group({ footer: clearable(text) }),
  metadata,
  name: clearable(text),
  /** `ip_address` is accepted, but has no effect in the sandbox. */
  tax: group({ ip_address: clearable(text), validate_location: choice('auto', 'deferred', 'immediately') }),
}

function withParams(customer: Customer, params: Params<typeof editable>): Customer {
  const { tax, address: addressInput, invoice_settings: settings, ...otherParams } = params
  const newAddress = readAddress(customer.address, addressInput)
  if (tax?.validate_location === 'immediately') assertTaxLocation(newAddress)
  return withChanges(customer, {
    ...otherParams,
    address: newAddress,
    invoice_settings: withChanges(customer.invoice_settings, settings ?? {}),
  })
}

export const customerRoutes = [
  route(
    'POST /v1/customers',
    { ...editable, test_clock: text },
    async ({ work, params: { test_clock, ...params } }) => {
      if (test_clock) {
        const clock = await work.get('test_helpers.test_clock', test_clock, 'test_clock')
        work.clock = clock.id
        work.now = clock.frozen_time
      }
      return work.create(withParams(newCustomer(work.now, work.clock), params))
    },
  ),
  listRoute('customer', { email: text }),
  readRoute('customer'),
  route('POST /v1/customers/:id', editable, async ({ work, id, params }) => {
    await work.getForUpdate('customer', id)
    const customer = await work.customer(id)
    return work.update(customer, withParams(customer, params))
  }),
  route('DELETE /v1/customers/:id', {}, async ({ work, id }) => {
    await work.getForUpdate('customer', id)
    const customer = await work.customer(id)
    for (const subscription of await work.all('subscription', { customer: id })) {
      if (subscription.ended_at === null) await cancelSubscription(work, subscription)
    }
    work.emit('customer.deleted', customer)
    return work.save(deletedObject('customer', id))
  }),
]

const taxIdPatterns = {
  eu_vat: /^(AT|BE|BG|CY|CZ|DE|DK|EE|EL|ES|FI|FR|HR|HU|IE|IT|LT|LU|LV|MT|NL|PL|PT|RO|SE|SI|SK|XI)[A-Z0-9+*]{2,12}$/,
  ch_vat: /^CHE-\d{3}\.\d{3}\.\d{3} (MWST|TVA|IVA)$/,
  gb_vat: /^GB\d{9}$/,
}

export const taxRoutes = [
  readRoute('tax_rate'),
  route(
    'POST /v1/customers/:id/tax_ids',
    { type: required(choice('eu_vat', 'ch_vat', 'gb_vat')), value: required(text) },
    async ({ work, id, params: { type, value } }) => {
      await work.getForUpdate('customer', id)
      await work.customer(id)
      if (!taxIdPatterns[type].test(value)) throw invalid(`Invalid value for ${type}.`, 'value', 'tax_id_invalid')
      const taxId = await work.insert(newTaxId(work.now, id, type, value))
      work.emit('customer.tax_id.created', taxId)
      return taxId
    },
  ),
  route('GET /v1/customers/:id/tax_ids', paging, async ({ work, id }) =>
    listOf(`/v1/customers/${id}/tax_ids`, await taxIdsOf(work, id)),
  ),
  route('DELETE /v1/tax_ids/:id', {}, async ({ work, id }) => {
    const taxId = await work.getForUpdate('tax_id', id)
    if ('deleted' in taxId) return taxId
    work.emit('customer.tax_id.deleted', taxId)
    return work.save(deletedObject('tax_id', id))
  }),
]
