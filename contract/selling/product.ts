import type { BillingType } from '../statuses.ts'

/** Whether it is sold. Buyers keep one that is not listed, and one whose file is gone. */
export const productStates = ['on sale', 'coming', 'not listed'] as const
export type ProductState = (typeof productStates)[number]

/** In cents. */
export type Prices = Record<BillingType, number>

type Titled = { title: string; text: string }
type Part = { lead: string; items: Titled[] }

/** A product's page: `content/products/<slug>.md`, read. */
export type ProductText = {
  kind: string
  lead: string
  description: string
  /** What the order summary says it is, in a few words. */
  includes: string
  /** The preview image of its links. */
  preview: string | null
  /** Pictures that come with the shop, for steps and chart. */
  drawings: 'rebound' | null
  card: string
  facts: { name: string; value: string }[]
  benefits: Part
  steps: Part
  chart: { lead: string; image: { alt: string; src: string } | null } | null
  contents: Part
  questions: Titled[]
  /** What the terms say one gets. */
  terms: string[]
}
