import { endpoint } from '../endpoint.ts'
import { optionalText } from '../fields.ts'
import { type InferOutput, object, type Zod } from '../schema.ts'
import { importVerdicts } from '../statuses.ts'

/** As it is in the file; the server says what is wrong with it, line by line. */
const cell = (z: Zod) => optionalText(z, 300)
const line = object((z) => ({
  line: z.int().check(z.minimum(1), z.maximum(1_000_000)),
  email: cell(z),
  name: cell(z),
  tradingViewUsername: cell(z),
  plan: cell(z),
  paidUntil: cell(z),
}))
export type ImportLine = InferOutput<typeof line>

const verdict = object((z) => ({ line: z.int(), verdict: z.enum(importVerdicts), message: z.string() }))
export type ImportVerdict = InferOutput<typeof verdict>

export const mostChecked = 500
export const mostImported = 50

export const imports = {
  adminCheck: endpoint('POST /api/admin/imports/check', {
    fresh: false,
    summary: 'What an import of these subscribers would do; changes nothing',
    input: object((z) => ({ lines: z.array(line(z)).check(z.minLength(1), z.maxLength(mostChecked)) })),
    output: (z) => z.array(verdict(z)),
  }),
  adminImport: endpoint('POST /api/admin/imports', {
    summary: 'Book subscribers who paid elsewhere; those already there are left alone, so it can be repeated',
    input: object((z) => ({
      lines: z.array(line(z)).check(z.minLength(1), z.maxLength(mostImported)),
      invite: z.boolean(),
      /** They can use the indicator on TradingView already: nothing is waiting for the seller. */
      hasAccess: z.boolean(),
    })),
    output: (z) => z.array(verdict(z)),
  }),
}
