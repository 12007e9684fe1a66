import * as z from 'zod/mini'
import { endpoint, nothing } from './endpoint.ts'
import { id, instant, optionalText } from './fields.ts'

const ticker = z
  .string('Please enter a ticker')
  .check(
    z.trim(),
    z.toUpperCase(),
    z.regex(/^[A-Z0-9][A-Z0-9.:_!/-]{0,29}$/, 'A ticker is letters, digits and . : _ - / !, at most 30'),
  )

const recommendedAsset = z.strictObject({
  id,
  ticker: z.string(),
  note: z.nullable(z.string()),
  reviewedAt: instant,
})
export type RecommendedAsset = z.output<typeof recommendedAsset>

const managedAsset = z.extend(recommendedAsset, {
  productId: id,
  sortOrder: z.int(),
  isActive: z.boolean(),
})
export type ManagedAsset = z.output<typeof managedAsset>

const newAsset = z.strictObject({ ticker, note: optionalText(500) })

/** One asset a line: the ticker, and behind a comma, semicolon, tab or blank what there is to note. */
export function parseAssetList(pasted: string): { assets: z.output<typeof newAsset>[]; faults: string[] } {
  const lines = pasted
    .split(/\r?\n/)
    .map((text, index) => ({ text: text.trim(), number: index + 1 }))
    .filter(({ text }) => text !== '')
  const parsed = lines.map(({ text, number }) => {
    const [, symbol = '', note = ''] = /^([^,;\s]+)[,;\s]*(.*)$/.exec(text) ?? []
    return { number, ...z.safeParse(newAsset, note ? { ticker: symbol, note } : { ticker: symbol }) }
  })
  return {
    assets: parsed.flatMap(({ data }) => data ?? []),
    faults: parsed.flatMap(({ number, error }) =>
      error ? [`Line ${number}: ${error.issues[0]?.message}`] : [],
    ),
  }
}

export const assets = {
  list: endpoint({
    method: 'GET',
    path: '/api/recommended-assets',
    access: 'user',
    summary: 'The Rebound List, for owners of Rebound Sigma Pro',
    input: nothing,
    output: z.array(recommendedAsset),
  }),
  adminList: endpoint({
    method: 'GET',
    path: '/api/admin/recommended-assets',
    access: 'admin',
    summary: 'All recommended assets in their order',
    input: nothing,
    output: z.array(managedAsset),
  }),
  adminAdd: endpoint({
    method: 'POST',
    path: '/api/admin/recommended-assets',
    access: 'admin',
    summary: 'Recommend an asset; the server decides its place (count + 1)',
    input: z.strictObject({
      productId: id,
      ticker,
      note: optionalText(500),
      sortOrder: z.optional(z.int()),
      isActive: z.optional(z.boolean()),
    }),
    output: nothing,
  }),
  adminImport: endpoint({
    method: 'POST',
    path: '/api/admin/recommended-assets/import',
    access: 'admin',
    summary: 'Recommend many assets at once; those already on the list are left as they are',
    input: z.strictObject({
      productId: id,
      assets: z.array(newAsset).check(z.minLength(1, 'Please enter a ticker'), z.maxLength(500)),
    }),
    output: z.strictObject({ added: z.int(), skipped: z.int() }),
  }),
  adminMove: endpoint({
    method: 'PATCH',
    path: '/api/admin/recommended-assets/:id/move',
    access: 'admin',
    summary: 'Give an asset another place in the list; 1 is the first',
    input: z.strictObject({ id, position: z.int().check(z.minimum(1), z.maximum(100_000)) }),
    output: nothing,
  }),
  adminReview: endpoint({
    method: 'POST',
    path: '/api/admin/recommended-assets/review',
    access: 'admin',
    summary: 'Note that the whole list has been reviewed today',
    input: nothing,
    output: nothing,
  }),
  adminDelete: endpoint({
    method: 'DELETE',
    path: '/api/admin/recommended-assets/:id',
    access: 'admin',
    summary: 'Remove a recommended asset',
    input: z.strictObject({ id }),
    output: nothing,
  }),
}
