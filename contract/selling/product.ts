import * as z from 'zod/mini'

/** Sale state. Buyers keep a product that is not listed, or whose file is gone. */
export const productStates = ['on sale', 'coming', 'not listed'] as const
export type ProductState = (typeof productStates)[number]

const titled = z.object({ title: z.string(), text: z.string() })
const part = z.object({ lead: z.string(), items: z.array(titled) })

/** A product's page: `content/products/<slug>.md`, read. */
export const productText = z.object({
  kind: z.string(),
  lead: z.string(),
  description: z.string(),
  /** The preview image of its links. */
  preview: z.nullable(z.string()),
  facts: z.array(z.object({ name: z.string(), value: z.string() })),
  benefits: part,
  steps: part,
  chart: z.nullable(z.object({ lead: z.string() })),
  contents: part,
  questions: z.array(titled),
})
export type ProductText = z.infer<typeof productText>

/** Product data embedded in every page, so it is public and short. */
export type ListedProduct = {
  slug: string
  name: string
  state: ProductState
  /** Name of its list of symbols, if it has one. */
  list: string | null
  /** Short description for the order, and the lines of the summary. */
  includes: string
  points: string[]
  card: string
  /** Pictures that come with the shop, for steps and chart; or one of its own. */
  drawings: 'rebound' | null
  image: { alt: string; src: string } | null
  terms: string[]
  /** The connector unlocks its buyers, as a rule within minutes; otherwise the seller does. */
  unlocksItself: boolean
  reviews: { count: number; average: number }
}
