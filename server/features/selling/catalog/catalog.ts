import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { eq, sql } from 'drizzle-orm'
import type { ListedProduct, ProductState, ProductText } from '#contract/selling/product.ts'
import type { SiteSettings } from '#contract/site/site-settings.ts'
import type { Database } from '#server/database/connect.ts'
import { products } from '#server/database/schema.ts'
import { notFound, StartError } from '#server/errors.ts'
import { hashOf } from '#server/pages/compressed.ts'
import { paths } from '#server/paths.ts'
import { type ProductFile, readProductFile } from './product-file.ts'

/** Products of the shop. Their texts and plans are files; purchases and access point to their rows. */
export type Catalog = {
  /** Products that have a file. */
  products(): Product[]
  /** Product of the home page. */
  first(): Product
  onSale(): Product[]
  /** Products as pages show them, those on sale first. */
  listed(
    reviewsOf: (productId: string) => ListedProduct['reviews'],
    served: ReadonlySet<string>,
  ): SiteSettings['products']
  texts(): Record<string, ProductText>
  bySlug(slug: string): Product | undefined
  byId(id: string): Product | undefined
  /** Finds a product whose file is gone or that a newer process has added, too. Throws 404. */
  named(id: string): Promise<{ id: string; slug: string; name: string }>
}

export type Product = ProductFile & { id: string }

/** File name of the link preview that the build draws. Includes a hash of the name, because the picture shows it. */
export const previewFile = (slug: string, name: string) => `${slug}-${hashOf(name).slice(0, 8)}.png`

export function readProducts(folder = paths.products): ProductFile[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.md'))
  const faults: string[] = []
  const found = files.flatMap((name) => {
    try {
      return [readProductFile(`content/products/${name}`, readFileSync(join(folder, name), 'utf8'))]
    } catch (error) {
      if (!(error instanceof StartError)) throw error
      faults.push(error.message)
      return []
    }
  })
  if (faults.length > 0) throw new StartError(faults.join('\n'))
  return found.toSorted((a, b) => a.slug.localeCompare(b.slug))
}

/** By the seller's `order`. Products without one come last, the newest at the end. */
const byOrder = (a: Product, b: Product) =>
  a.order === b.order ? 0 : (a.order ?? Number.MAX_SAFE_INTEGER) - (b.order ?? Number.MAX_SAFE_INTEGER)

function drawnPreview(slug: string, name: string) {
  const path = `/og/${previewFile(slug, name)}`
  return existsSync(join(paths.dist, 'web', path)) ? path : null
}

export async function openCatalog(db: Database, folder?: string): Promise<Catalog> {
  const files = readProducts(folder)
  await db
    .insert(products)
    .values(files.map(({ slug, name }) => ({ slug, name })))
    .onConflictDoUpdate({
      target: products.slug,
      set: { name: sql`excluded.name` },
      setWhere: sql`${products.name} <> excluded.name`,
    })
  const rows = await db.select().from(products).orderBy(products.createdAt, products.slug)
  const present: Product[] = rows
    .flatMap(({ id, slug }) => files.filter((file) => file.slug === slug).map((file) => ({ ...file, id })))
    .toSorted(byOrder)
  const first = present.find(({ state }) => state === 'on sale')
  if (!first) throw new StartError('content/products: no product is on sale, so there is nothing to open a shop for')
  const names = new Map(rows.map(({ id, slug, name }) => [id, { id, slug, name }]))

  return {
    products: () => present,
    first: () => first,
    onSale: () => present.filter(({ state }) => state === 'on sale'),
    listed(reviewsOf, served) {
      const show = ({ id, slug, name, state, listed }: Product) => ({
        slug,
        name,
        state,
        ...listed,
        unlocksItself: served.has(id),
        reviews: reviewsOf(id),
      })
      const others = present.filter(({ id }) => id !== first.id)
      const inState = (wanted: ProductState) => others.filter(({ state }) => state === wanted).map(show)
      return [show(first), ...inState('on sale'), ...inState('coming')]
    },
    texts: () =>
      Object.fromEntries(
        present.map(({ slug, name, text }) => [slug, { ...text, preview: text.preview ?? drawnPreview(slug, name) }]),
      ),
    bySlug: (slug) => present.find((product) => product.slug === slug),
    byId: (id) => present.find((product) => product.id === id),
    async named(id) {
      const known = names.get(id) ?? (await db.select().from(products).where(eq(products.id, id)))[0]
      if (!known) throw notFound('Product')
      names.set(id, known)
      return known
    },
  }
}
