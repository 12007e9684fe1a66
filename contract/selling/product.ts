import * as z from 'zod/mini'

/** Buyers keep a product that is not listed, or whose file was removed. */
export const productStates = ['on sale', 'coming', 'not listed'] as const
export type ProductState = (typeof productStates)[number]

const titledText = z.object({ title: z.string(), text: z.string() })
const pageSection = z.object({ lead: z.string(), items: z.array(titledText) })

/** Texts of a product's page, parsed from `content/products/<slug>.md`. */
export const productText = z.object({
  kind: z.string(),
  lead: z.string(),
  description: z.string(),
  /** Path of the image that social networks show for a link to the page. */
  preview: z.nullable(z.string()),
  facts: z.array(z.object({ name: z.string(), value: z.string() })),
  benefits: pageSection,
  steps: pageSection,
  chart: z.nullable(z.object({ lead: z.string() })),
  contents: pageSection,
  questions: z.array(titledText),
})
export type ProductText = z.infer<typeof productText>

/** Product data embedded in every page; it is public and must stay small. */
export type ListedProduct = {
  slug: string
  name: string
  state: ProductState
  /** Name of the product's list of symbols; null if it has none. */
  list: string | null
  /** Short description at the checkout. */
  includes: string
  points: string[]
  /** Short text on the card of the product in lists. */
  card: string
  /** Drawings of steps and chart that come with the shop; null if the product has its own `image`. */
  drawings: 'rebound' | null
  image: { alt: string; src: string } | null
  terms: string[]
  /** True if the connector unlocks buyers, usually within minutes; otherwise the seller does so by hand. */
  unlocksItself: boolean
  reviews: { count: number; average: number }
}
