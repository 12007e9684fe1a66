import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { eq, sql } from 'drizzle-orm'
import type { ListedProduct, ProductState, ProductText } from '#contract/selling/product.ts'
import type { SiteSettings } from '#contract/site/site-settings.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { products as productRows } from '#server/database/schema.ts'
import { notFound, StartError } from '#server/errors.ts'
import { hashOf } from '#server/pages/compressed.ts'
import { paths } from '#server/paths.ts'
import { type ProductFile, readProductFile } from './product-file.ts'

/** Products of the shop. Texts and plans are in files; purchases and access refer to rows of `products`. */
export type Catalog = {
  products(): Product[]
  homeProduct(): Product
  productsOnSale(): Product[]
  /** Products on sale come first. `connectedIds` are products that the connector unlocks. */
  listForPages(
    reviewsOf: (productId: string) => ListedProduct['reviews'],
    connectedIds: ReadonlySet<string>,
  ): SiteSettings['products']
  textsBySlug(): Record<string, ProductText>
  findBySlug(slug: string): Product | undefined
  findById(id: string): Product | undefined
  /** Also finds a product whose file is gone, or that a newer process has added. Throws 404. Within a transaction, pass it. */
  findRow(id: string, tx?: Transaction): Promise<{ id: string; slug: string; name: string }>
}

export type Product = ProductFile & { id: string }

/** The hash gives a renamed product a new file, because the picture shows the name. */
export const previewFile = (slug: string, name: string) => `${slug}-${hashOf(name).slice(0, 8)}.png`

/** Throws one `StartError` with the faults of all files. */
export function readProducts(folder = paths.products): ProductFile[] {
  const fileNames = readdirSync(folder).filter((name) => name.endsWith('.md'))
  const faults: string[] = []
  const productFiles: ProductFile[] = []
  for (const name of fileNames) {
    try {
      productFiles.push(readProductFile(`content/products/${name}`, readFileSync(join(folder, name), 'utf8')))
    } catch (error) {
      if (!(error instanceof StartError)) throw error
      faults.push(error.message)
    }
  }
  if (faults.length > 0) throw new StartError(faults.join('\n'))
  return productFiles.toSorted((a, b) => a.slug.localeCompare(b.slug))
}

/** Products without an `order` come last and, because the sort is stable, keep their place. */
const compareByOrder = (a: Product, b: Product) =>
  (a.order ?? Number.MAX_SAFE_INTEGER) - (b.order ?? Number.MAX_SAFE_INTEGER)

/** Null without a build, which draws the pictures. */
function findDrawnPreview(slug: string, name: string) {
  const path = `/og/${previewFile(slug, name)}`
  return existsSync(join(paths.dist, 'web', path)) ? path : null
}

async function storeProducts(db: Database, files: ProductFile[]) {
  await db
    .insert(productRows)
    .values(files.map(({ slug, name }) => ({ slug, name })))
    .onConflictDoUpdate({
      target: productRows.slug,
      set: { name: sql`excluded.name` },
      setWhere: sql`${productRows.name} <> excluded.name`,
    })
  return db.select().from(productRows).orderBy(productRows.createdAt, productRows.slug)
}

export async function openCatalog(db: Database, folder?: string): Promise<Catalog> {
  const files = readProducts(folder)
  const rows = await storeProducts(db, files)
  const rowById = new Map(rows.map(({ id, slug, name }) => [id, { id, slug, name }]))
  const fileBySlug = new Map(files.map((file) => [file.slug, file]))
  const products: Product[] = []
  for (const { id, slug } of rows) {
    const file = fileBySlug.get(slug)
    // A row stays when its product's file is removed.
    if (file) products.push({ ...file, id })
  }
  const productsWithFile = products.toSorted(compareByOrder)
  const homeProduct = productsWithFile.find(({ state }) => state === 'on sale')
  if (!homeProduct)
    throw new StartError('content/products: no product is on sale, so there is nothing to open a shop for')

  return {
    products: () => productsWithFile,
    homeProduct: () => homeProduct,
    productsOnSale: () => productsWithFile.filter(({ state }) => state === 'on sale'),
    listForPages(reviewsOf, connectedIds) {
      const show = ({ id, slug, name, state, listed }: Product) => ({
        slug,
        name,
        state,
        ...listed,
        unlocksItself: connectedIds.has(id),
        reviews: reviewsOf(id),
      })
      const otherProducts = productsWithFile.filter(({ id }) => id !== homeProduct.id)
      const showInState = (wantedState: ProductState) =>
        otherProducts.filter(({ state }) => state === wantedState).map(show)
      return [show(homeProduct), ...showInState('on sale'), ...showInState('coming')]
    },
    textsBySlug() {
      const texts: Record<string, ProductText> = {}
      for (const { slug, name, text } of productsWithFile)
        texts[slug] = { ...text, preview: text.preview ?? findDrawnPreview(slug, name) }
      return texts
    },
    findBySlug: (slug) => productsWithFile.find((product) => product.slug === slug),
    findById: (id) => productsWithFile.find((product) => product.id === id),
    async findRow(id, tx) {
      const knownRow = rowById.get(id)
      if (knownRow) return knownRow
      const [row] = await (tx ?? db).select().from(productRows).where(eq(productRows.id, id))
      if (!row) throw notFound('Product')
      rowById.set(id, row)
      return row
    },
  }
}
