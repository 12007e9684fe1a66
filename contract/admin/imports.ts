import * as z from 'zod/mini'
import { endpoint } from '../endpoint.ts'
import { optionalText } from '../fields.ts'
import { importVerdicts } from '../statuses.ts'

/** As it is in the file; the server says what is wrong with it, line by line. */
const cell = optionalText(300)
const line = z.strictObject({
  line: z.int().check(z.minimum(1), z.maximum(1_000_000)),
  email: cell,
  name: cell,
  tradingViewUsername: cell,
  plan: cell,
  paidUntil: cell,
})
export type ImportLine = z.infer<typeof line>

const verdict = z.object({ line: z.int(), verdict: z.enum(importVerdicts), message: z.string() })
export type ImportVerdict = z.infer<typeof verdict>

export const mostChecked = 500
export const mostImported = 50

export const imports = {
  adminCheck: endpoint('POST /api/admin/imports/check', {
    access: 'purchases.manage',
    fresh: false,
    summary: 'What an import of these subscribers would do; changes nothing',
    input: z.strictObject({ lines: z.array(line).check(z.minLength(1), z.maxLength(mostChecked)) }),
    output: z.array(verdict),
  }),
  adminImport: endpoint('POST /api/admin/imports', {
    access: 'purchases.manage',
    summary: 'Book subscribers who paid elsewhere; those already there are left alone, so it can be repeated',
    input: z.strictObject({
      lines: z.array(line).check(z.minLength(1), z.maxLength(mostImported)),
      invite: z.boolean(),
      /** They can use the indicator on TradingView already: nothing is waiting for the seller. */
      hasAccess: z.boolean(),
    }),
    output: z.array(verdict),
  }),
}
