import * as z from 'zod/mini'
import { endpoint } from '../endpoint.ts'
import { id, instant, optionalText, wholeNumber } from '../fields.ts'

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

export const recentChangeDays = 31

const asset = z.object({ id, ticker: z.string(), note: z.nullable(z.string()), reviewedAt: instant })
const recommendedAsset = z.extend(asset, { createdAt: instant })
export type RecommendedAsset = z.infer<typeof recommendedAsset>

const managedAsset = z.extend(asset, { createdAt: instant, productId: id, sortOrder: z.int(), isActive: z.boolean() })
export type ManagedAsset = z.infer<typeof managedAsset>

export const newAsset = z.strictObject({ ticker, note: optionalText(500) })

export const assets = {
  list: endpoint('GET /api/recommended-assets', {
    summary: 'The lists of symbols, for those who own a product that has one',
    output: z.array(recommendedAsset),
  }),
  recentlyRemoved: endpoint('GET /api/recommended-assets/left', {
    summary: 'Symbols that left the lists lately, for those who own a product that has one',
    output: z.array(z.object({ ticker: z.string() })),
  }),
  adminList: endpoint('GET /api/admin/recommended-assets', {
    access: 'content.write',
    summary: 'All recommended assets, in order',
    output: z.array(managedAsset),
  }),
  adminRecentlyRemoved: endpoint('GET /api/admin/recommended-assets/left', {
    access: 'content.write',
    summary: 'Symbols that left the lists lately',
    output: z.array(z.object({ ticker: z.string() })),
  }),
  adminAdd: endpoint('POST /api/admin/recommended-assets', {
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
  adminImport: endpoint('POST /api/admin/recommended-assets/import', {
    access: 'content.write',
    summary: 'Add many assets at once; those already on the list are left alone',
    input: z.strictObject({
      productId: id,
      assets: z.array(newAsset).check(z.minLength(1, 'Please enter a ticker'), z.maxLength(500)),
    }),
    output: z.object({ added: z.int(), skipped: z.int() }),
  }),
  adminMove: endpoint('PATCH /api/admin/recommended-assets/:id/move', {
    access: 'content.write',
    summary: 'Move an asset to another position in the list; 1 is the first',
    input: z.strictObject({ id, position: z.int().check(z.minimum(1), z.maximum(100_000)) }),
  }),
  adminSwitch: endpoint('PATCH /api/admin/recommended-assets/:id/active', {
    access: 'content.write',
    summary: 'Show an asset to owners or hide it',
    input: z.strictObject({ id, isActive: z.boolean() }),
  }),
  adminNote: endpoint('PATCH /api/admin/recommended-assets/:id/note', {
    access: 'content.write',
    summary: 'Change an asset’s note; an empty one removes it',
    input: z.strictObject({ id, note: optionalText(500) }),
  }),
  adminReview: endpoint('POST /api/admin/recommended-assets/review', {
    access: 'content.write',
    summary: 'Record that the whole list was reviewed today: one product’s, or all of them',
    input: z.strictObject({ productId: z.optional(id) }),
  }),
  adminDelete: endpoint('DELETE /api/admin/recommended-assets/:id', {
    access: 'content.write',
    summary: 'Remove a recommended asset',
  }),
}
