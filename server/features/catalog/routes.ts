import type { catalog } from '#contract/catalog.ts'
import { products } from '#contract/price-list.ts'
import { notFound } from '../../errors.ts'
import type { Handlers } from '../../http/mount.ts'

/** The catalog is code, so these need no database. */
export const catalogRoutes: Handlers<typeof catalog> = {
  list: () => products,
  product: ({ slug }) => {
    const product = products.find((candidate) => candidate.slug === slug)
    if (!product) throw notFound('Product')
    return product
  },
}
