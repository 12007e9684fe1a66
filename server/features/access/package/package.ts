import type { Context } from '#server/context.ts'
import { notFound, Refusal } from '#server/errors.ts'
import type { AccessModule } from '../access/access.ts'

type PackageDeps = Pick<AccessModule, 'owns'>

/** What only owners may see; the rest of the package is on TradingView. */
export function createPrivatePackage(
  { settings, catalog }: Pick<Context, 'settings' | 'catalog'>,
  { owns }: PackageDeps,
) {
  return {
    async show(userId: string, slug = catalog.first().slug) {
      const product = catalog.bySlug(slug)
      if (!product) throw notFound('Product')
      if (!(await owns(userId, product.id)))
        throw new Refusal(403, 'not-an-owner', `This is for owners of ${product.name} with a live subscription.`)
      return { ...product.package, ...settings.live.linksOf(product.slug) }
    },
  }
}
