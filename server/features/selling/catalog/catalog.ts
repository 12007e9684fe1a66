import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { eq, sql } from 'drizzle-orm'
import type { ListedProduct, ProductState } from '#contract/selling/product.ts'
import type { SiteSettings } from '#contract/site/site-settings.ts'
import type { Database } from '#server/database/connect.ts'
import { products } from '#server/database/schema.ts'
import { notFound, StartError } from '#server/errors.ts'
import { hashOf } from '#server/pages/compressed.ts'
import { paths } from '#server/paths.ts'
import { type ProductFile, readProductFile } from './product-file.ts'

export type Product = ProductFile & { id: string }

/** The picture that the build draws for a product's links; another name is another picture. */
export const previewFile = (slug: string, name: string) => `${slug}-${hashOf(name).slice(0, 8)}.png`

export type Catalog = Awaited<ReturnType<typeof openCatalog>>

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

/** What the shop sells: files say what, rows are what buyers’ rights point to. */
export async function openCatalog(db: Database, folder?: string) {
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
    /** Those with a file. */
    products: () => present,
    /** The one that the home page shows. */
    first: () => first,
    onSale: () => present.filter(({ state }) => state === 'on sale'),
    /** What pages show: those on sale first. */
    listed(
      reviewsOf: (productId: string) => ListedProduct['reviews'],
      served: ReadonlySet<string>,
    ): SiteSettings['products'] {
      const show = ({ id, slug, name, state, listed }: Product) => ({
        slug,
        name,
        state,
        ...listed,
        unlocksItself: served.has(id),
        reviews: reviewsOf(id),
      })
      const others = present.filter(({ id }) => id !== first.id)
      const of = (wanted: ProductState) => others.filter(({ state }) => state === wanted).map(show)
      return [show(first), ...of('on sale'), ...of('coming')]
    },
    texts: () =>
      Object.fromEntries(
        present.map(({ slug, name, text }) => [slug, { ...text, preview: text.preview ?? drawnPreview(slug, name) }]),
      ),
    bySlug: (slug: string) => present.find((product) => product.slug === slug),
    byId: (id: string) => present.find((product) => product.id === id),
    /** Also of one whose file is gone, or that a newer process has added since this one started. */
    async named(id: string) {
      const known = names.get(id) ?? (await db.select().from(products).where(eq(products.id, id)))[0]
      if (!known) throw notFound('Product')
      names.set(id, known)
      return known
    },
  }
}
