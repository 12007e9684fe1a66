import * as z from 'zod/mini'
import { endpoint } from '../endpoint.ts'
import { cents, id, opaqueText } from '../fields.ts'
import { productText } from './product.ts'

const product = z.object({
  id,
  name: z.string(),
  slug: z.string(),
  /** Missing if the product does not sell the plan. */
  monthlyPrice: z.optional(cents),
  yearlyPrice: z.optional(cents),
  /** Keys are plans (`billingType`). */
  prices: z.record(z.string(), cents),
})

export const catalog = {
  list: endpoint('GET /api/products', {
    access: 'public',
    summary: 'Every product for sale',
    output: z.array(product),
  }),
  product: endpoint('GET /api/products/:slug', {
    access: 'public',
    summary: 'One product, by slug',
    input: z.strictObject({ slug: opaqueText(100) }),
    output: product,
  }),
  page: endpoint('GET /api/products/:slug/page', {
    access: 'public',
    summary: 'The texts of a product’s page',
    input: z.strictObject({ slug: opaqueText(100) }),
    output: productText,
  }),
}
