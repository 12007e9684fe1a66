import * as z from 'zod/mini'
import { endpoint } from '../endpoint.ts'
import { cents, email, id, instant, isDay, line, opaqueText, optionalText, pageFields, text } from '../fields.ts'
import { personName } from '../person-name.ts'
import { declarationKinds, declarationStates, purchaseStatuses } from '../statuses.ts'

/** The law allows a shop to ask for these fields only. */
const declarationFields = {
  name: personName,
  contract: line(254, 'Please enter your contract number, or the email you bought with'),
  email,
}

/** `click`: the owner confirms with the emailed link. `none`: they are logged in. `person`: the seller decides. */
const nextSteps = ['click', 'none', 'person'] as const
export type NextStep = (typeof nextSteps)[number]

const receivedDeclaration = z.object({ id, declaredAt: instant, next: z.enum(nextSteps) })

export const grounds = ['ordinary', 'good_cause'] as const

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
      /** Latest payment less refunds. A withdrawal in time refunds it in full. */
      unrefunded: cents,
    }),
  ),
  /** True for a withdrawal that seems to have arrived after the withdrawal period. */
  isLate: z.boolean(),
})
export type Declaration = z.infer<typeof declaration>

/** `open`: the seller decides. `waiting`: the owner has three days to confirm with the emailed link. */
export const declarationFilters = [...declarationStates, 'waiting'] as const
export type DeclarationFilter = (typeof declarationFilters)[number]

const limit = { requests: 20, seconds: 600 }

export const declarations = {
  withdraw: endpoint('POST /api/declarations/withdrawal', {
    access: 'public',
    caller: 'optional',
    summary:
      'Withdraw from a contract; a receipt is emailed, and everyone but its logged-in owner gets the same answer',
    input: z.strictObject(declarationFields),
    output: receivedDeclaration,
    limit,
  }),
  cancel: endpoint('POST /api/declarations/cancellation', {
    access: 'public',
    caller: 'optional',
    summary: 'Cancel a contract; a receipt is emailed, and everyone but its logged-in owner gets the same answer',
    input: z.strictObject({
      ...declarationFields,
      grounds: z.enum(grounds),
      reason: optionalText(1000),
      /** Day like 2026-12-31; as soon as possible if empty. */
      endsOn: optionalText(10).check(
        z.refine<string | undefined>((typed) => !typed || isDay(typed), 'Please enter a date'),
      ),
    }),
    output: receivedDeclaration,
    limit,
  }),
  confirm: endpoint('POST /api/declarations/confirm', {
    access: 'public',
    summary: 'Confirm a declaration with the link emailed to the address of the purchase',
    input: z.strictObject({ id: z.uuid('This link is not valid'), token: opaqueText(100, 'This link is not valid') }),
    limit,
  }),
  adminList: endpoint('GET /api/admin/declarations', {
    access: 'money.refund',
    summary: 'Withdrawals and cancellations, newest first',
    input: z.strictObject({ ...pageFields, state: z.optional(z.enum(declarationFilters)), customerId: z.optional(id) }),
    output: z.array(declaration),
    answer: 'list',
  }),
  adminCarryOut: endpoint('POST /api/admin/declarations/:id/carry-out', {
    access: 'money.refund',
    summary: 'Carry out a declaration: refund and end the contract, or cancel it',
  }),
  adminLink: endpoint('POST /api/admin/declarations/:id/contract', {
    access: 'money.refund',
    fresh: false,
    summary: 'Say which contract a declaration is about, by its number or the email it was bought with',
    input: z.strictObject({ id, contract: text(254, 'Please enter a contract number or an email') }),
  }),
  adminClose: endpoint('POST /api/admin/declarations/:id/close', {
    access: 'money.refund',
    summary: 'Close a declaration that was handled in another way, and say how',
    input: z.strictObject({ id, outcome: text(500, 'Please say how it was handled') }),
  }),
}
