import * as z from 'zod/mini'
import { endpoint } from '../endpoint.ts'
import { existingPassword } from '../fields.ts'
import { passkeyResponse, typedCode } from './factors.ts'

const stepUpCall = { duringFactorSetup: true, limit: { requests: 20, seconds: 60 } } as const

/** Renew the proof of identity before calls marked `fresh`, so that a stolen session alone cannot make them. */
export const stepUp = {
  withPassword: endpoint('POST /api/user/step-up/password', {
    ...stepUpCall,
    summary: 'Confirm that it’s me, with my password',
    input: z.strictObject({ password: existingPassword }),
  }),
  withCode: endpoint('POST /api/user/step-up/code', {
    ...stepUpCall,
    summary: 'Confirm that it’s me, with a code from the app',
    input: z.strictObject({ code: typedCode }),
  }),
  withPasskey: endpoint('POST /api/user/step-up/passkey', {
    ...stepUpCall,
    summary: 'Confirm that it’s me, with a passkey',
    input: z.strictObject({ response: passkeyResponse }),
  }),
}
