import * as z from 'zod/mini'
import { endpoint } from '../endpoint.ts'
import { cents, id, instant, pageFields, text } from '../fields.ts'
import { declarationKinds, declarationStates, purchaseStatuses } from '../statuses.ts'

const declaration = z.object({
  id,
  kind: z.enum(declarationKinds),
  state: z.enum(declarationStates),
  name: z.string(),
  contract: z.string(),
  email: z.string(),
  forCause: z.boolean(),
  reason: z.nullable(z.string()),
  endsOn: z.nullable(z.string()),
  declaredAt: instant,
  dueAt: instant,
  /** True while the owner can still confirm it with the emailed link. */
  awaitsClick: z.boolean(),
  outcome: z.nullable(z.string()),
  /** The purchase that it seems to be about. */
  purchase: z.nullable(
    z.object({
      id,
      userId: id,
      email: z.string(),
      status: z.enum(purchaseStatuses),
      createdAt: instant,
      /** Amount that an undecided withdrawal would refund, by the books. */
      refundDue: cents,
      /** Set if a withdrawal refunds only the time since this plan switch. */
      switchedAt: z.nullable(instant),
    }),
  ),
  /** True for a withdrawal that seems to have arrived after the withdrawal period. */
  isLate: z.boolean(),
})
export type Declaration = z.infer<typeof declaration>

/** `open`: the seller decides. `waiting`: the owner has three days to confirm with the emailed link. */
export const declarationFilters = [...declarationStates, 'waiting'] as const
export type DeclarationFilter = (typeof declarationFilters)[number]

export const declarationsAdmin = {
  list: endpoint('GET /api/admin/declarations', {
    access: 'money.refund',
    summary: 'Withdrawals and cancellations, newest first',
    input: z.strictObject({ ...pageFields, state: z.optional(z.enum(declarationFilters)), customerId: z.optional(id) }),
    output: z.array(declaration),
    answer: 'list',
  }),
  carryOut: endpoint('POST /api/admin/declarations/:id/carry-out', {
    access: 'money.refund',
    summary: 'Carry out a declaration: refund and end the contract, or cancel it',
  }),
  link: endpoint('POST /api/admin/declarations/:id/contract', {
    access: 'money.refund',
    fresh: false,
    summary: 'Say which contract a declaration is about, by its number or the email it was bought with',
    input: z.strictObject({ id, contract: text(254, 'Please enter a contract number or an email') }),
  }),
  close: endpoint('POST /api/admin/declarations/:id/close', {
    access: 'money.refund',
    summary: 'Close a declaration that was handled in another way, and say how',
    input: z.strictObject({ id, outcome: text(500, 'Please say how it was handled') }),
  }),
}
