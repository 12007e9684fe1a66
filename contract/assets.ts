import * as z from 'zod/mini'
import { endpoint, nothing } from './endpoint.ts'
import { id, optionalText } from './fields.ts'

export const ticker = z
  .string('Please enter a ticker')
  .check(
    z.trim(),
    z.toUpperCase(),
    z.regex(/^[A-Z0-9][A-Z0-9.:_!/-]{0,29}$/, 'A ticker is letters, digits and . : _ - / !, at most 30'),
  )

const recommendedAsset = z.strictObject({ id, ticker: z.string(), note: z.nullable(z.string()) })
export type RecommendedAsset = z.output<typeof recommendedAsset>

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
    output: z.array(z.extend(recommendedAsset, { productId: id, sortOrder: z.int(), isActive: z.boolean() })),
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
  adminDelete: endpoint({
    method: 'DELETE',
    path: '/api/admin/recommended-assets/:id',
    access: 'admin',
    summary: 'Remove a recommended asset',
    input: z.strictObject({ id }),
    output: nothing,
  }),
}
