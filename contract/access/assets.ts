import * as z from 'zod/mini'
import { endpoint } from '../endpoint.ts'
import { id, instant } from '../fields.ts'

export const recentChangeDays = 31

export const asset = z.object({ id, ticker: z.string(), note: z.nullable(z.string()), reviewedAt: instant })
const recommendedAsset = z.extend(asset, { createdAt: instant })
export type RecommendedAsset = z.infer<typeof recommendedAsset>

/** Earliest review time of the symbols, because the whole list has been reviewed since. */
export const lastReviewOf = (list: { reviewedAt: string }[]) => list.map(({ reviewedAt }) => reviewedAt).toSorted()[0]

export const assets = {
  list: endpoint('GET /api/recommended-assets', {
    summary: 'The lists of symbols, for those who own a product that has one',
    output: z.array(recommendedAsset),
  }),
  recentlyRemoved: endpoint('GET /api/recommended-assets/left', {
    summary: 'Symbols that left the lists lately, for those who own a product that has one',
    output: z.array(z.object({ ticker: z.string() })),
  }),
}
