import type { catalog } from '#contract/catalog.ts'
import { catalogue } from '#contract/price-list.ts'
import { notFound } from '../../errors.ts'
import type { Handlers } from '../../http/mount.ts'

/** The catalog is code, so these need no database. */
export const catalogRoutes: Handlers<typeof catalog> = {
  list: () => catalogue,
  product: ({ slug }) => {
    const product = catalogue.find((candidate) => candidate.slug === slug)
    if (!product) throw notFound('Product')
    return product
  },
}
