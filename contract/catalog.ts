import * as z from 'zod/mini'
import { endpoint, nothing } from './endpoint.ts'
import { cents, id } from './fields.ts'

const product = z.strictObject({
  id,
  name: z.string(),
  slug: z.string(),
  monthlyPrice: cents,
  yearlyPrice: cents,
})

export const catalog = {
  list: endpoint({
    method: 'GET',
    path: '/api/products',
    access: 'public',
    summary: 'Every product on sale',
    input: nothing,
    output: z.array(product),
  }),
  product: endpoint({
    method: 'GET',
    path: '/api/products/:slug',
    access: 'public',
    summary: 'One product by its slug',
    input: z.strictObject({ slug: z.string().check(z.maxLength(100)) }),
    output: product,
  }),
}
