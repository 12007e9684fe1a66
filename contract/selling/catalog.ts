import { endpoint } from '../endpoint.ts'
import { cents, id } from '../fields.ts'
import { object } from '../schema.ts'
import { productText } from './product.ts'

const product = object((z) => ({
  id: id(z),
  name: z.string(),
  slug: z.string(),
  monthlyPrice: cents(z),
  yearlyPrice: cents(z),
}))

export const catalog = {
  list: endpoint('GET /api/products', {
    access: 'public',
    summary: 'Every product for sale',
    output: (z) => z.array(product(z)),
  }),
  product: endpoint('GET /api/products/:slug', {
    access: 'public',
    summary: 'One product, by slug',
    input: object((z) => ({ slug: z.string().check(z.maxLength(100)) })),
    output: product,
  }),
  page: endpoint('GET /api/products/:slug/page', {
    access: 'public',
    summary: 'The texts of a product’s page',
    input: object((z) => ({ slug: z.string().check(z.maxLength(100)) })),
    output: productText,
  }),
}
