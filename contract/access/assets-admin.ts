import * as z from 'zod/mini'
import { endpoint } from '../endpoint.ts'
import { id, instant, optionalText, wholeNumber } from '../fields.ts'
import { asset } from './assets.ts'

const ticker = z.string('Please enter a ticker').check(
  z.trim(),
  z.toUpperCase(),
  z.minLength(1, 'Please enter a ticker'),
  z.regex(
    // The first character must not start a spreadsheet formula.
    /^[A-Z0-9^.$#][A-Z0-9^.$#:_!/&*+=()' -]{0,29}$/,
    "Tickers have up to 30 letters, digits, spaces, and these characters: ^ . $ # : _ ! / & * + = ( ) ' -",
  ),
)

const managedAsset = z.extend(asset, { createdAt: instant, productId: id, sortOrder: z.int(), isActive: z.boolean() })
export type ManagedAsset = z.infer<typeof managedAsset>

export const newAsset = z.strictObject({ ticker, note: optionalText(500) })

export const assetsAdmin = {
  list: endpoint('GET /api/admin/recommended-assets', {
    access: 'content.write',
    summary: 'All recommended assets, in order',
    output: z.array(managedAsset),
  }),
  recentlyRemoved: endpoint('GET /api/admin/recommended-assets/left', {
    access: 'content.write',
    summary: 'Symbols that left the lists lately',
    output: z.array(z.object({ ticker: z.string() })),
  }),
  add: endpoint('POST /api/admin/recommended-assets', {
    access: 'content.write',
    summary: 'Add an asset at a position in the list, or at the end if none is given',
    input: z.strictObject({
      productId: id,
      ticker,
      note: z.nullable(optionalText(500)),
      sortOrder: z.optional(wholeNumber()),
      isActive: z.optional(z.boolean()),
      /** Set when an asset removed by mistake is restored, so that it is not shown as new. */
      reviewedAt: z.optional(z.iso.datetime()),
      createdAt: z.optional(z.iso.datetime()),
    }),
  }),
  import: endpoint('POST /api/admin/recommended-assets/import', {
    access: 'content.write',
    summary: 'Add many assets at once; those already on the list are left alone',
    input: z.strictObject({
      productId: id,
      assets: z.array(newAsset).check(z.minLength(1, 'Please enter a ticker'), z.maxLength(500)),
    }),
    output: z.object({ added: z.int(), skipped: z.int() }),
  }),
  move: endpoint('PATCH /api/admin/recommended-assets/:id/move', {
    access: 'content.write',
    summary: 'Move an asset to another position in the list; 1 is the first',
    input: z.strictObject({ id, position: z.int().check(z.minimum(1), z.maximum(100_000)) }),
  }),
  switch: endpoint('PATCH /api/admin/recommended-assets/:id/active', {
    access: 'content.write',
    summary: 'Show an asset to owners or hide it',
    input: z.strictObject({ id, isActive: z.boolean() }),
  }),
  note: endpoint('PATCH /api/admin/recommended-assets/:id/note', {
    access: 'content.write',
    summary: 'Change an asset’s note; an empty one removes it',
    input: z.strictObject({ id, note: optionalText(500) }),
  }),
  review: endpoint('POST /api/admin/recommended-assets/review', {
    access: 'content.write',
    summary: 'Record that the whole list was reviewed today: one product’s, or all of them',
    input: z.strictObject({ productId: z.optional(id) }),
  }),
  delete: endpoint('DELETE /api/admin/recommended-assets/:id', {
    access: 'content.write',
    summary: 'Remove a recommended asset',
  }),
}
