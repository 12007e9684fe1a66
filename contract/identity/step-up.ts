import * as z from 'zod/mini'
import { endpoint } from '../endpoint.ts'
import { existingPassword } from '../fields.ts'
import { passkeyResponse, typedCode } from './factors.ts'

const prove = { duringFactorSetup: true, limit: { requests: 20, seconds: 60 } } as const

/** Another proof before calls marked `fresh`, which a thief with a stolen session would want. */
export const stepUp = {
  withPassword: endpoint('POST /api/user/step-up/password', {
    ...prove,
    summary: 'Confirm that it’s me, with my password',
    input: z.strictObject({ password: existingPassword }),
  }),
  withCode: endpoint('POST /api/user/step-up/code', {
    ...prove,
    summary: 'Confirm that it’s me, with a code from the app',
    input: z.strictObject({ code: typedCode }),
  }),
  withPasskey: endpoint('POST /api/user/step-up/passkey', {
    ...prove,
    summary: 'Confirm that it’s me, with a passkey',
    input: z.strictObject({ response: passkeyResponse }),
  }),
}
