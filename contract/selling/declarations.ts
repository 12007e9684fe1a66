import * as z from 'zod/mini'
import { endpoint } from '../endpoint.ts'
import { email, id, instant, isDay, line, opaqueText, optionalText } from '../fields.ts'
import { personName } from '../person-name.ts'

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
}
