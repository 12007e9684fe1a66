import { invalid } from '../failure.ts'
import { newCoupon, newPrice, newProduct } from '../objects/catalog.ts'
import type { Work } from '../work.ts'
import {
  choice,
  clearable,
  flag,
  group,
  integer,
  keep,
  mergeMetadata,
  metadata,
  paging,
  range,
  required,
  text,
  texts,
} from './params.ts'
import { route } from './route.ts'

const productFields = {
  active: flag,
  description: clearable(text),
  metadata,
  tax_code: clearable(text),
}
const priceFields = { active: flag, lookup_key: text, metadata, transfer_lookup_key: flag }

/** A lookup key names one price; it moves only when the request says so. */
async function takeLookupKey(work: Work, key: string | undefined, transfer: boolean | undefined, by: string) {
  if (key === undefined) return
  for (const holder of await work.all('price', { lookup_key: key })) {
    if (holder.id === by) continue
    if (!transfer) throw invalid(`A price (\`${holder.id}\`) already uses that lookup key.`, 'lookup_key')
    await work.save({ ...holder, lookup_key: null })
  }
}

export const catalogRoutes = [
  route(
    'POST /v1/products',
    { ...productFields, id: text, name: required(text) },
    async ({ work, params }) => {
      if (params.id !== undefined && (await work.find('product', params.id))) {
        throw invalid(`Product already exists.`, 'id', 'resource_already_exists')
      }
      const product = await work.insert({
        ...newProduct(work.now, params.name, params.id),
        active: params.active ?? true,
        description: params.description ?? null,
        metadata: params.metadata ?? {},
        tax_code: params.tax_code ?? null,
      })
      work.emit('product.created', product)
      return product
    },
  ),
  route('GET /v1/products/:id', {}, ({ work, id }) => work.get('product', id)),
  route('POST /v1/products/:id', { ...productFields, name: text }, async ({ work, id, params }) => {
    const before = await work.claim('product', id)
    const after = await work.save({
      ...before,
      active: params.active ?? before.active,
      description: keep(params.description, before.description),
      metadata: mergeMetadata(before.metadata, params.metadata),
      name: params.name ?? before.name,
      tax_code: keep(params.tax_code, before.tax_code),
      updated: work.now,
    })
    work.emit('product.updated', after, before)
    return after
  }),
  route(
    'POST /v1/prices',
    {
      ...priceFields,
      currency: required(text),
      product: text,
      product_data: group({ name: required(text), metadata }),
      recurring: group({
        interval: required(choice('day', 'week', 'month', 'year')),
        interval_count: integer,
      }),
      tax_behavior: choice('inclusive', 'unspecified'),
      unit_amount: required(integer),
    },
    async ({ work, params }) => {
      const currency = params.currency.toLowerCase()
      if (!/^[a-z]{3}$/.test(currency)) throw invalid(`Invalid currency: ${params.currency}`, 'currency')
      if (params.unit_amount < 1 || params.unit_amount > 99_999_999) {
        throw invalid('The sandbox bills amounts from 1 to 99999999.', 'unit_amount')
      }
      const steps = params.recurring?.interval_count ?? 1
      if (steps < 1 || steps > 36) throw invalid('Invalid interval_count', 'recurring[interval_count]')
      if (!params.product && !params.product_data)
        throw invalid('Missing required param: product.', 'product')
      const product = params.product_data
        ? await work.insert({
            ...newProduct(work.now, params.product_data.name),
            metadata: params.product_data.metadata ?? {},
          })
        : await work.get('product', params.product ?? '', 'product')
      await takeLookupKey(work, params.lookup_key, params.transfer_lookup_key, '')
      const price = await work.insert({
        ...newPrice({
          now: work.now,
          product: product.id,
          currency,
          amount: params.unit_amount,
          recurring: params.recurring ? { interval: params.recurring.interval, interval_count: steps } : null,
        }),
        active: params.active ?? true,
        lookup_key: params.lookup_key ?? null,
        metadata: params.metadata ?? {},
        tax_behavior: params.tax_behavior ?? 'unspecified',
      })
      work.emit('price.created', price)
      return price
    },
  ),
  route(
    'POST /v1/coupons',
    {
      amount_off: integer,
      currency: text,
      duration: choice('forever', 'once', 'repeating'),
      duration_in_months: integer,
      id: text,
      metadata,
      name: text,
      percent_off: integer,
    },
    async ({ work, params: { id, amount_off: amount, percent_off: percent, ...params } }) => {
      if (id !== undefined && (await work.find('coupon', id)))
        throw invalid('Coupon already exists.', 'id', 'resource_already_exists')
      if ((amount === undefined) === (percent === undefined))
        throw invalid('You must pass either percent_off or amount_off.', 'percent_off')
      if (percent !== undefined && (percent < 1 || percent > 100))
        throw invalid('Invalid percent_off', 'percent_off')
      if (amount !== undefined && (amount < 1 || !params.currency))
        throw invalid('You must pass currency when passing amount_off', 'currency')
      const isRepeating = params.duration === 'repeating'
      if (isRepeating !== (params.duration_in_months !== undefined))
        throw invalid('duration_in_months goes with the duration repeating.', 'duration_in_months')
      if (isRepeating && !(params.duration_in_months && params.duration_in_months > 0))
        throw invalid('Invalid duration_in_months', 'duration_in_months')
      const months = params.duration === 'forever' ? {} : { months: params.duration_in_months ?? 0 }
      const off = { ...(percent === undefined ? { amount: amount ?? 0 } : { percent }), ...months }
      const coupon = await work.insert({
        ...newCoupon(work.now, off, params.currency ?? 'usd', id),
        metadata: params.metadata ?? {},
        name: params.name ?? null,
      })
      work.emit('coupon.created', coupon)
      return coupon
    },
  ),
  route('GET /v1/coupons/:id', {}, ({ work, id }) => work.get('coupon', id)),
  route('GET /v1/prices/:id', {}, ({ work, id }) => work.get('price', id)),
  route('POST /v1/prices/:id', priceFields, async ({ work, id, params }) => {
    const before = await work.claim('price', id)
    await takeLookupKey(work, params.lookup_key, params.transfer_lookup_key, id)
    const after = await work.save({
      ...before,
      active: params.active ?? before.active,
      lookup_key: params.lookup_key ?? before.lookup_key,
      metadata: mergeMetadata(before.metadata, params.metadata),
    })
    work.emit('price.updated', after, before)
    return after
  }),
  route(
    'GET /v1/prices',
    { ...paging, active: flag, created: range, lookup_keys: texts, product: text },
    ({ work, params: { limit, starting_after, lookup_keys, created, ...match } }) =>
      work.list(
        'price',
        '/v1/prices',
        { match, created, oneOf: lookup_keys && { field: 'lookup_key', values: lookup_keys } },
        { limit, starting_after },
      ),
  ),
]
