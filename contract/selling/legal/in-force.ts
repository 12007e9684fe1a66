import * as z from 'zod/mini'
import { endpoint } from '../../endpoint.ts'
import { instant, optionalText } from '../../fields.ts'
import type { LegalBlock } from './text.ts'

/** Our own words, so nothing is checked: a union would cost every page. */
const block = z.unknown() as z.ZodMiniType<LegalBlock, LegalBlock>

const termsShown = z.object({
  version: z.string(),
  since: instant,
  sections: z.array(z.object({ id: z.string(), title: z.string(), blocks: z.array(block) })),
})
export type TermsVersion = z.infer<typeof termsShown>

export const termsInForce = {
  show: endpoint('GET /api/terms', {
    access: 'public',
    summary: 'The terms in force, or an earlier version of them',
    input: z.strictObject({ version: optionalText(20) }),
    output: termsShown,
  }),
}
