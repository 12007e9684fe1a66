import { attach } from '../billing/payments.ts'
import { cancel } from '../billing/subscriptions.ts'
import { type Customer, deletedCustomer, newCustomer } from '../objects/customer.ts'
import type { Work } from '../work.ts'
import { address, mergeAddress } from './address.ts'
import { assertOwnCard, resolveMethod } from './methods.ts'
import {
  clearable,
  group,
  keep,
  mergeMetadata,
  metadata,
  type Params,
  paging,
  range,
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
  /** Kept by Stripe as evidence; nothing here depends on it. */
  tax: group({ ip_address: clearable(text) }),
}

async function change(work: Work, customer: Customer, params: Params<typeof editable>): Promise<Customer> {
  const method = params.invoice_settings?.default_payment_method
  await assertOwnCard(work, method, customer.id, 'invoice_settings[default_payment_method]')
  return {
    ...customer,
    address: mergeAddress(customer.address, params.address),
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
    'POST',
    '/v1/customers',
    { ...editable, payment_method: text, test_clock: text },
    async ({ work, params: { payment_method, test_clock, ...params } }) => {
      const clock = test_clock
        ? await work.get('test_helpers.test_clock', test_clock, 'test_clock')
        : undefined
      if (clock) {
        work.clock = clock.id
        work.now = clock.frozen_time
      }
      const blank = newCustomer({ now: work.now, email: null, name: null, testClock: clock?.id ?? null })
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
  route('GET', '/v1/customers', { ...paging, email: text, created: range }, ({ work, params }) =>
    work.list(
      'customer',
      '/v1/customers',
      { match: params.email === undefined ? {} : { email: params.email }, created: params.created },
      params,
    ),
  ),
  route('GET', '/v1/customers/:id', {}, ({ work, id }) => work.get('customer', id)),
  route('POST', '/v1/customers/:id', editable, async ({ work, id, params }) => {
    await work.claim('customer', id)
    const before = await work.customer(id)
    const after = await work.save(await change(work, before, params))
    work.emit('customer.updated', after, before)
    return after
  }),
  route('DELETE', '/v1/customers/:id', {}, async ({ work, id }) => {
    await work.claim('customer', id)
    const customer = await work.customer(id)
    for (const subscription of await work.all('subscription', { customer: id })) {
      if (subscription.ended_at === null) await cancel(work, subscription)
    }
    work.emit('customer.deleted', customer)
    return work.save(deletedCustomer(id))
  }),
]
