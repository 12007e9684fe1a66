import { z } from 'zod'
import { endpoint, type ParsedInputOf } from '../endpoint.ts'
import { billingType, cents, day, id, instant } from '../fields.ts'
import { codeStates } from '../statuses.ts'

/** At least this much remains to pay, in cents. */
export const leastCharge = 100

const percent = z.int('Please enter a whole number').min(1, 'From 1 to 99').max(99, 'From 1 to 99')

const worth = z.object({
  code: z.string(),
  /** One of the two: a share of the price, or cents. */
  percentOff: z.int().nullable(),
  amountOff: cents.nullable(),
  /** For one payment (0), for some months, or always (null). */
  months: z.int().nullable(),
})

const shown = worth.extend({
  id,
  /** Of any product and for both plans, if null. */
  productId: id.nullable(),
  billingType: billingType.nullable(),
  startsAt: instant.nullable(),
  endsAt: instant.nullable(),
  maxUses: z.int().nullable(),
  newOnly: z.boolean(),
  createdAt: instant,
  state: z.enum(codeStates),
  used: z.int(),
  link: z.string(),
})
export type ShownCode = z.infer<typeof shown>

const positive = z.int('Please enter a whole number').min(1, 'One at least').max(1_000_000)

export const codes = {
  adminList: endpoint('GET /api/admin/codes', {
    summary: 'Discount codes, newest first, and how often each was used',
    output: z.array(shown),
  }),
  adminAdd: endpoint('POST /api/admin/codes', {
    summary: 'Make a discount code; what it is worth never changes',
    input: z.strictObject({
      code: z
        .string('Please enter a code')
        .trim()
        .toUpperCase()
        .regex(/^[A-Z0-9-]{3,30}$/, 'Letters without accents, digits and hyphens: 3 to 30'),
      percentOff: percent.optional(),
      amountOff: cents.optional(),
      months: z.int().min(0).max(36, '36 months at most').optional(),
      productId: id.optional(),
      billingType: billingType.optional(),
      /** From the beginning of a day, and to the end of one, UTC. */
      from: day.optional(),
      until: day.optional(),
      maxUses: positive.optional(),
      newOnly: z.boolean().optional(),
    }),
  }),
  adminStop: endpoint('POST /api/admin/codes/:id/stop', {
    summary: 'Stop a discount code: who has it keeps it, no one else gets it',
  }),
}
export type WantedCode = ParsedInputOf<typeof codes.adminAdd>
