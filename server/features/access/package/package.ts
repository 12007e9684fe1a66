import type { privatePackage } from '#contract/access/package.ts'
import type { RawOutputOf } from '#contract/endpoint.ts'
import type { Context } from '#server/context.ts'
import { notFound, Refusal } from '#server/errors.ts'
import type { AccessModule } from '../access/access.ts'

type PackageContext = Pick<Context, 'settings' | 'catalog'>

export type PrivatePackage = { show(userId: string, slug?: string): Promise<RawOutputOf<typeof privatePackage.show>> }

type PackageDeps = Pick<AccessModule, 'owns'>

export function createPrivatePackage({ settings, catalog }: PackageContext, { owns }: PackageDeps): PrivatePackage {
  return {
    async show(userId, slug = catalog.homeProduct().slug) {
      const product = catalog.findBySlug(slug)
      if (!product) throw notFound('Product')
      if (!(await owns(userId, product.id)))
        throw new Refusal(403, 'not-an-owner', `This is for owners of ${product.name} with a live subscription.`)
      return { ...product.package, ...settings.current.linksOf(product.slug) }
    },
  }
}
