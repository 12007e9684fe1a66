import { endpoint, paging } from '../endpoint.ts'
import { id, instant, month } from '../fields.ts'
import { type InferOutput, schema } from '../schema.ts'
import { movementCauses, movementKinds } from '../statuses.ts'

/** How far back figures look. */
export const ranges = ['30d', '3m', '12m', 'all'] as const

const movement = schema((z) =>
  z.strictObject({
    id: z.int(),
    at: instant(z),
    kind: z.enum(movementKinds),
    cause: z.enum(movementCauses),
    /** Yearly revenue before and after, in whole cents. */
    arrBefore: z.int(),
    arrAfter: z.int(),
    user: z.strictObject({ id: id(z), name: z.string(), email: z.string() }),
  }),
)
export type ShownMovement = InferOutput<typeof movement>

export const figures = {
  adminMovements: endpoint('GET /api/admin/figures/movements', {
    access: 'admin',
    summary: 'What moved the recurring revenue, and who; newest first',
    input: (z) =>
      z.strictObject({
        ...paging(z),
        kind: z.optional(z.enum(movementKinds)),
        month: z.optional(month(z)),
        range: z.optional(z.enum(ranges)),
      }),
    output: (z) => z.array(movement(z)),
    answer: 'list',
  }),
}
