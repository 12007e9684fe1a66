import type { catalog } from '#contract/selling/catalog.ts'
import { products } from '#contract/selling/price-list.ts'
import { notFound } from '#server/errors.ts'
import type { Handlers } from '#server/http/mount.ts'

/** The catalog is code, so these need no database. */
export const catalogRoutes: Handlers<typeof catalog> = {
  list: () => products,
  product: ({ slug }) => {
    const product = products.find((candidate) => candidate.slug === slug)
    if (!product) throw notFound('Product')
    return product
  },
}
