import * as z from 'zod/mini'
import { endpoint } from '../endpoint.ts'
import { optionalText } from '../fields.ts'
import { importVerdicts } from '../statuses.ts'

/** Not validated here: the server returns the faults of each line. */
const cell = optionalText(300)
const line = z.strictObject({
  line: z.int().check(z.minimum(1), z.maximum(1_000_000)),
  email: cell,
  name: cell,
  tradingViewUsername: cell,
  /** Slug or name; may be empty in a shop with one product on sale. */
  product: cell,
  plan: cell,
  paidUntil: cell,
})
export type ImportLine = z.infer<typeof line>

const verdict = z.object({ line: z.int(), verdict: z.enum(importVerdicts), message: z.string() })
export type ImportVerdict = z.infer<typeof verdict>

export const findProductByName = <Product extends { slug: string; name: string }>(
  products: Product[],
  text: string,
) => {
  const normalized = text.trim().toLowerCase()
  return products.find(({ slug, name }) => slug === normalized || name.toLowerCase() === normalized)
}

export const maxLinesPerCheck = 500
export const maxLinesPerImport = 50

export const imports = {
  adminCheck: endpoint('POST /api/admin/imports/check', {
    access: 'purchases.manage',
    fresh: false,
    summary: 'What an import of these subscribers would do; changes nothing',
    input: z.strictObject({ lines: z.array(line).check(z.minLength(1), z.maxLength(maxLinesPerCheck)) }),
    output: z.array(verdict),
  }),
  adminImport: endpoint('POST /api/admin/imports', {
    access: 'purchases.manage',
    summary: 'Book subscribers who paid elsewhere; those already there are left alone, so it can be repeated',
    input: z.strictObject({
      lines: z.array(line).check(z.minLength(1), z.maxLength(maxLinesPerImport)),
      invite: z.boolean(),
      /** Records the usernames as unlocked already, so no access request is opened. */
      hasAccess: z.boolean(),
    }),
    output: z.array(verdict),
  }),
}
