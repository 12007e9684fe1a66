import { listOf } from '../basics.ts'
import { attach } from '../billing/payments.ts'
import { cancel } from '../billing/subscriptions.ts'
import { assertPlace, taxIdsOf } from '../billing/tax.ts'
import { invalid } from '../failure.ts'
import { type Customer, deleted, newCustomer, newTaxId } from '../objects/customer.ts'
import type { Work } from '../work.ts'
import { assertOwnCard, resolveMethod } from './methods.ts'
import {
  address,
  choice,
  clearable,
  group,
  keep,
  mergeMetadata,
  metadata,
  type Params,
  paging,
  range,
  readAddress,
  required,
  text,
} from './params.ts'
import { route } from './route.ts'

const editable = {
  address,
  description: clearable(text),
  email: clearable(text),
  invoice_settings: group({ default_payment_method: clearable(text), footer: clearable(text) }),
  metadata,
  name: clearable(text),
  phone: clearable(text),
  /** The IP address is kept by Stripe as evidence; nothing here depends on it. */
  tax: group({ ip_address: clearable(text), validate_location: choice('auto', 'deferred', 'immediately') }),
}

async function change(work: Work, customer: Customer, params: Params<typeof editable>): Promise<Customer> {
  const method = params.invoice_settings?.default_payment_method
  await assertOwnCard(work, method, customer.id, 'invoice_settings[default_payment_method]')
  const place = readAddress(customer.address, params.address)
  if (params.tax?.validate_location === 'immediately') assertPlace(place)
  return {
    ...customer,
    address: place,
    description: keep(params.description, customer.description),
    email: keep(params.email, customer.email),
    invoice_settings: {
      ...customer.invoice_settings,
      default_payment_method: keep(method, customer.invoice_settings.default_payment_method),
      footer: keep(params.invoice_settings?.footer, customer.invoice_settings.footer),
    },
    metadata: mergeMetadata(customer.metadata, params.metadata),
    name: keep(params.name, customer.name),
    phone: keep(params.phone, customer.phone),
  }
}

export const customerRoutes = [
  route(
    'POST /v1/customers',
    { ...editable, payment_method: text, test_clock: text },
    async ({ work, params: { payment_method, test_clock, ...params } }) => {
      const clock = test_clock
        ? await work.get('test_helpers.test_clock', test_clock, 'test_clock')
        : undefined
      if (clock) {
        work.clock = clock.id
        work.now = clock.frozen_time
      }
      const blank = newCustomer(work.now, clock?.id ?? null)
      await work.insert(blank)
      const method = payment_method ? await resolveMethod(work, payment_method) : undefined
      if (method) await attach(work, method, blank.id)
      // Stripe's own examples pass a test token twice: as the card and as the default.
      const settings = params.invoice_settings
      const chosen =
        method && settings?.default_payment_method === payment_method
          ? { footer: undefined, ...settings, default_payment_method: method.id }
          : settings
      const customer = await work.save(await change(work, blank, { ...params, invoice_settings: chosen }))
      work.emit('customer.created', customer)
      return customer
    },
  ),
  route('GET /v1/customers', { ...paging, email: text, created: range }, ({ work, params }) =>
    work.list(
      'customer',
      '/v1/customers',
      { match: params.email === undefined ? {} : { email: params.email }, created: params.created },
      params,
    ),
  ),
  route('GET /v1/customers/:id', {}, ({ work, id }) => work.get('customer', id)),
  route('POST /v1/customers/:id', editable, async ({ work, id, params }) => {
    await work.claim('customer', id)
    const before = await work.customer(id)
    const after = await work.save(await change(work, before, params))
    work.emit('customer.updated', after, before)
    return after
  }),
  route('DELETE /v1/customers/:id', {}, async ({ work, id }) => {
    await work.claim('customer', id)
    const customer = await work.customer(id)
    for (const subscription of await work.all('subscription', { customer: id })) {
      if (subscription.ended_at === null) await cancel(work, subscription)
    }
    work.emit('customer.deleted', customer)
    return work.save(deleted('customer', id))
  }),
]

/** What a VAT ID looks like, by kind. Whether it exists is the tax office's to know. */
const patterns = {
  eu_vat:
    /^(AT|BE|BG|CY|CZ|DE|DK|EE|EL|ES|FI|FR|HR|HU|IE|IT|LT|LU|LV|MT|NL|PL|PT|RO|SE|SI|SK|XI)[A-Z0-9+*]{2,12}$/,
  ch_vat: /^CHE-\d{3}\.\d{3}\.\d{3} (MWST|TVA|IVA)$/,
  gb_vat: /^GB\d{9}$/,
}

export const taxRoutes = [
  route('GET /v1/tax_rates/:id', {}, ({ work, id }) => work.get('tax_rate', id)),
  route(
    'POST /v1/customers/:id/tax_ids',
    { type: required(choice('eu_vat', 'ch_vat', 'gb_vat')), value: required(text) },
    async ({ work, id, params: { type, value } }) => {
      await work.claim('customer', id)
      await work.customer(id)
      if (!patterns[type].test(value)) throw invalid(`Invalid value for ${type}.`, 'value', 'tax_id_invalid')
      const taxId = await work.insert(newTaxId(work.now, id, type, value))
      work.emit('customer.tax_id.created', taxId)
      return taxId
    },
  ),
  route('GET /v1/customers/:id/tax_ids', paging, async ({ work, id }) =>
    listOf(`/v1/customers/${id}/tax_ids`, await taxIdsOf(work, id)),
  ),
  route('DELETE /v1/tax_ids/:id', {}, async ({ work, id }) => {
    const before = await work.claim('tax_id', id)
    if ('deleted' in before) return before
    work.emit('customer.tax_id.deleted', before)
    return work.save(deleted('tax_id', id))
  }),
]
