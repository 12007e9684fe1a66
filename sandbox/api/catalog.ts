import { invalid } from '../failure.ts'
import { newCoupon, newPrice, newProduct } from '../objects/catalog.ts'
import type { Work } from '../work.ts'
import {
  choice,
  clearable,
  flag,
  group,
  integer,
  metadata,
  paging,
  required,
  text,
  texts,
  withChanges,
} from './params.ts'
import { readRoute, route } from './route.ts'

const productFields = { active: flag, tax_code: clearable(text) }
const priceFields = {
  active: flag,
  lookup_key: text,
  metadata,
  tax_behavior: choice('exclusive', 'inclusive', 'unspecified'),
  transfer_lookup_key: flag,
}

async function takeLookupKey(
  work: Work,
  key: string | undefined,
  isTransfer: boolean | undefined,
  newHolder: string | null,
) {
  if (key === undefined) return
  for (const holder of await work.all('price', { lookup_key: key })) {
    if (holder.id === newHolder) continue
    if (!isTransfer) throw invalid(`A price (\`${holder.id}\`) already uses that lookup key.`, 'lookup_key')
    await work.save({ ...holder, lookup_key: null })
  }
}

export const catalogRoutes = [
  route(
    'POST /v1/products',
    { ...productFields, id: text, name: required(text) },
    async ({ work, params: { id, name, ...params } }) => {
      if (id !== undefined && (await work.find('product', id)))
        throw invalid(`Product already exists.`, 'id', 'resource_already_exists')
      return work.create(withChanges(newProduct(work.now, name, id), params))
    },
  ),
  readRoute('product'),
  route('POST /v1/products/:id', productFields, async ({ work, id, params }) => {
    const product = await work.getForUpdate('product', id)
    return work.update(product, withChanges(product, { ...params, updated: work.now }))
  }),
  route(
    'POST /v1/prices',
    {
      ...priceFields,
      currency: required(text),
      product: text,
      product_data: group({ name: required(text) }),
      recurring: group({ interval: required(choice('day', 'week', 'month', 'year')), interval_count: integer }),
      unit_amount: required(integer),
    },
    async ({ work, params }) => {
      const { product: id, product_data: productData, recurring, unit_amount: amount, ...priceParams } = params
      const { transfer_lookup_key: isTransfer, currency, ...otherParams } = priceParams
      if (!id && !productData) throw invalid('Missing required param: product.', 'product')
      const product = productData
        ? await work.insert(newProduct(work.now, productData.name))
        : await work.get('product', id ?? '', 'product')
      await takeLookupKey(work, otherParams.lookup_key, isTransfer, null)
      const step = recurring ? { interval: recurring.interval, interval_count: recurring.interval_count ?? 1 } : null
      const price = newPrice({ now: work.now, product: product.id, currency, amount, recurring: step })
      return work.create(withChanges(price, otherParams))
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
      name: text,
      percent_off: integer,
    },
    async ({ work, params: { id, amount_off: amount, percent_off: percent, ...params } }) => {
      if (id !== undefined && (await work.find('coupon', id)))
        throw invalid('Coupon already exists.', 'id', 'resource_already_exists')
      const duration = params.duration === 'forever' ? {} : { months: params.duration_in_months ?? 0 }
      const worth = percent === undefined ? { amount: amount ?? 0 } : { percent }
      const terms = { ...worth, ...duration }
      return work.create(withChanges(newCoupon(work.now, terms, params.currency ?? 'usd', id), { name: params.name }))
    },
  ),
  readRoute('coupon'),
  readRoute('price'),
  route(
    'POST /v1/prices/:id',
    priceFields,
    async ({ work, id, params: { transfer_lookup_key: transfer, ...params } }) => {
      const price = await work.getForUpdate('price', id)
      if (params.tax_behavior && price.tax_behavior !== 'unspecified')
        throw invalid('tax_behavior can be set once.', 'tax_behavior')
      await takeLookupKey(work, params.lookup_key, transfer, id)
      return work.update(price, withChanges(price, params))
    },
  ),
  route(
    'GET /v1/prices',
    { ...paging, active: flag, lookup_keys: texts },
    ({ work, params: { limit, starting_after, lookup_keys, active } }) =>
      work.list(
        'price',
        { match: { active }, oneOf: lookup_keys && { field: 'lookup_key', values: lookup_keys } },
        { limit, starting_after },
      ),
  ),
]
