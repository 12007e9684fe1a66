import * as z from 'zod/mini'
import { endpoint, type ParsedInputOf } from '../endpoint.ts'
import { billingType, cents, firstDay, id, instant, lastDay } from '../fields.ts'
import { codeStates } from '../statuses.ts'

/** Least amount in cents that a discount must leave to pay. */
export const minCharge = 100

const percent = z.int('Please enter a whole number').check(z.minimum(1, 'From 1 to 99'), z.maximum(99, 'From 1 to 99'))

const discount = z.object({
  code: z.string(),
  /** Either a percentage of the price or an amount in cents. */
  percentOff: z.nullable(z.int()),
  amountOff: z.nullable(cents),
  /** 0 for the first payment only, null without an end. */
  months: z.nullable(z.int()),
})

const codeOutput = z.extend(discount, {
  id,
  /** Null if valid for all products. */
  productId: z.nullable(id),
  /** Null if valid for all plans. */
  billingType: z.nullable(billingType),
  startsAt: z.nullable(instant),
  endsAt: z.nullable(instant),
  maxUses: z.nullable(z.int()),
  /** True if only people who never bought may use it. */
  newOnly: z.boolean(),
  createdAt: instant,
  state: z.enum(codeStates),
  used: z.int(),
  /** Payments of buyers who used the code, less refunds and lost disputes, in cents. */
  revenue: z.int(),
  link: z.string(),
})
export type AdminCode = z.infer<typeof codeOutput>

const maxUses = z.int('Please enter a whole number').check(z.minimum(1, 'One at least'), z.maximum(1_000_000))

export const codes = {
  adminList: endpoint('GET /api/admin/codes', {
    access: 'offer.write',
    summary: 'Discount codes, newest first, how often each was used, and what came of it',
    output: z.array(codeOutput),
  }),
  adminAdd: endpoint('POST /api/admin/codes', {
    access: 'offer.write',
    summary: 'Make a discount code; what it is worth never changes',
    input: z.strictObject({
      code: z
        .string('Please enter a code')
        .check(
          z.trim(),
          z.toUpperCase(),
          z.regex(/^[A-Z0-9-]{3,30}$/, 'Letters without accents, digits and hyphens: 3 to 30'),
        ),
      percentOff: z.optional(percent),
      amountOff: z.optional(cents),
      months: z.optional(z.int().check(z.minimum(0), z.maximum(36, '36 months at most'))),
      productId: z.optional(id),
      billingType: z.optional(billingType),
      /** The code is valid from the beginning of `from` to the end of `until`, UTC. */
      from: z.optional(firstDay),
      until: z.optional(lastDay),
      maxUses: z.optional(maxUses),
      newOnly: z.optional(z.boolean()),
    }),
  }),
  adminStop: endpoint('POST /api/admin/codes/:id/stop', {
    access: 'offer.write',
    summary: 'Stop a discount code: who has it keeps it, no one else gets it',
  }),
}
export type NewCode = ParsedInputOf<typeof codes.adminAdd>
