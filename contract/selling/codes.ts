import { endpoint, type ParsedInputOf } from '../endpoint.ts'
import { billingType, cents, day, id, instant } from '../fields.ts'
import { type InferOutput, object, schema } from '../schema.ts'
import { codeStates } from '../statuses.ts'

/** At least this much remains to pay, in cents. */
export const leastCharge = 100

const percent = schema((z) =>
  z.int('Please enter a whole number').check(z.minimum(1, 'From 1 to 99'), z.maximum(99, 'From 1 to 99')),
)

const worth = object((z) => ({
  code: z.string(),
  /** One of the two: a share of the price, or cents. */
  percentOff: z.nullable(z.int()),
  amountOff: z.nullable(cents(z)),
  /** For one payment (0), for some months, or always (null). */
  months: z.nullable(z.int()),
}))

const shown = schema((z) =>
  z.extend(worth(z), {
    id: id(z),
    /** Of any product and for both plans, if null. */
    productId: z.nullable(id(z)),
    billingType: z.nullable(billingType(z)),
    startsAt: z.nullable(instant(z)),
    endsAt: z.nullable(instant(z)),
    maxUses: z.nullable(z.int()),
    newOnly: z.boolean(),
    createdAt: instant(z),
    state: z.enum(codeStates),
    /** Paid with it, and those of them who paid after their 15 minutes; and who is at the checkout with it now. */
    used: z.int(),
    late: z.int(),
    held: z.int(),
    link: z.string(),
  }),
)
export type ShownCode = InferOutput<typeof shown>

const positive = schema((z) =>
  z.int('Please enter a whole number').check(z.minimum(1, 'One at least'), z.maximum(1_000_000)),
)

export const codes = {
  adminList: endpoint('GET /api/admin/codes', {
    summary: 'Discount codes, newest first, and how often each was used',
    output: (z) => z.array(shown(z)),
  }),
  adminAdd: endpoint('POST /api/admin/codes', {
    summary: 'Make a discount code; what it is worth never changes',
    input: object((z) => ({
      code: z
        .string('Please enter a code')
        .check(
          z.trim(),
          z.toUpperCase(),
          z.regex(/^[A-Z0-9-]{3,30}$/, 'Letters without accents, digits and hyphens: 3 to 30'),
        ),
      percentOff: z.optional(percent(z)),
      amountOff: z.optional(cents(z)),
      months: z.optional(z.int().check(z.minimum(0), z.maximum(36, '36 months at most'))),
      productId: z.optional(id(z)),
      billingType: z.optional(billingType(z)),
      /** From the beginning of a day, and to the end of one, UTC. */
      from: z.optional(day(z)),
      until: z.optional(day(z)),
      maxUses: z.optional(positive(z)),
      newOnly: z.optional(z.boolean()),
    })),
  }),
  adminStop: endpoint('POST /api/admin/codes/:id/stop', {
    summary: 'Stop a discount code: who has it keeps it, no one else gets it',
  }),
}
export type WantedCode = ParsedInputOf<typeof codes.adminAdd>
