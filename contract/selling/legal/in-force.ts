import { endpoint } from '../../endpoint.ts'
import { instant, optionalText } from '../../fields.ts'
import { type InferOutput, object, schema } from '../../schema.ts'
import type { ZodMiniType } from '../../zod.ts'
import type { LegalBlock } from './text.ts'

/** Our own words, so nothing is checked: a union would cost every page. */
const block = schema((z) => z.unknown() as ZodMiniType<LegalBlock, LegalBlock>)

const termsShown = object((z) => ({
  version: z.string(),
  since: instant(z),
  sections: z.array(z.strictObject({ id: z.string(), title: z.string(), blocks: z.array(block(z)) })),
}))
export type TermsShown = InferOutput<typeof termsShown>

export const termsInForce = {
  show: endpoint('GET /api/terms', {
    access: 'public',
    summary: 'The terms in force, or an earlier version of them',
    input: object((z) => ({ version: optionalText(z, 20) })),
    output: termsShown,
  }),
}
