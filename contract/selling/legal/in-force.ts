import * as z from 'zod/mini'
import { endpoint } from '../../endpoint.ts'
import { instant, optionalText } from '../../fields.ts'
import type { LegalBlock } from './text.ts'

/** Not validated: the texts come from our own code, and a zod union would make every page larger. */
const block = z.unknown() as z.ZodMiniType<LegalBlock, LegalBlock>

const termsVersion = z.object({
  version: z.string(),
  since: instant,
  sections: z.array(z.object({ id: z.string(), title: z.string(), blocks: z.array(block) })),
})
export type TermsVersion = z.infer<typeof termsVersion>

export const termsInForce = {
  show: endpoint('GET /api/terms', {
    access: 'public',
    summary: 'The terms in force, or an earlier version of them',
    input: z.strictObject({ version: optionalText(20) }),
    output: termsVersion,
  }),
}
