import * as z from 'zod/mini'
import { endpoint } from '../endpoint.ts'
import { instant, opaqueText, text } from '../fields.ts'

/** Six digits from the app, or a recovery code. Spaces and dashes are allowed in both. */
export const typedCode = text(40, 'Please enter your code')

/** JSON of the browser's WebAuthn API, validated by a library on the server. */
export const passkeyMessage = z.record(opaqueText(100), z.unknown())

export const passkeyResponse = passkeyMessage.check(
  z.refine<Record<string, unknown>>((response) => jsonSize(response, 10) < 20_000, 'This passkey could not be read'),
)

/** Approximate length as JSON. Infinite beyond `maxDepth`, because deep nesting would exhaust the stack. */
function jsonSize(value: unknown, maxDepth: number): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 1
  if (maxDepth === 0) return Number.POSITIVE_INFINITY
  let size = 2
  for (const [key, field] of Object.entries(value)) size += key.length + jsonSize(field, maxDepth - 1)
  return size
}

const passkeyName = text(60, 'Please enter a name')
const passkeyId = z.string().check(z.regex(/^[\w-]{1,1400}$/, 'This is not a valid id'))

const passkey = z.object({
  id: z.string(),
  name: z.string(),
  isSynced: z.boolean(),
  createdAt: instant,
  lastUsedAt: z.nullable(instant),
})
export type Passkey = z.infer<typeof passkey>

/** Recovery codes are shown once, with the first factor; null with later factors. */
const recoveryCodesOutput = z.object({ recoveryCodes: z.nullable(z.array(z.string())) })

const factorCall = { duringFactorSetup: true } as const
const limit = { requests: 20, seconds: 60 }

export const factors = {
  show: endpoint('GET /api/user/factors', {
    ...factorCall,
    summary: 'How I log in: passkeys, app codes, and how many recovery codes are left',
    output: z.object({
      passkeys: z.array(passkey),
      appCodesSince: z.nullable(instant),
      recoveryCodesLeft: z.int(),
      isRequired: z.boolean(),
      /** True if this login used a recovery code. */
      isRecovering: z.boolean(),
    }),
  }),
  beginAppCodes: endpoint('POST /api/user/factors/app-codes/begin', {
    ...factorCall,
    fresh: true,
    proven: true,
    summary: 'A new secret for an authenticator app, as text and as a QR code',
    limit,
    output: z.object({
      secret: z.string(),
      /** Encrypted secret. It is stored only when the browser returns it with the first code. */
      sealed: z.string(),
      qr: z.object({ size: z.int(), path: z.string() }),
    }),
  }),
  confirmAppCodes: endpoint('POST /api/user/factors/app-codes', {
    ...factorCall,
    fresh: true,
    proven: true,
    summary: 'Turn on app codes, with the first one as proof; replaces an earlier app',
    limit,
    input: z.strictObject({ sealed: text(400, 'Please start again'), code: typedCode }),
    output: recoveryCodesOutput,
  }),
  removeAppCodes: endpoint('DELETE /api/user/factors/app-codes', {
    ...factorCall,
    fresh: true,
    summary: 'Turn off app codes',
    limit,
  }),
  renewRecoveryCodes: endpoint('POST /api/user/factors/recovery-codes', {
    ...factorCall,
    fresh: true,
    proven: true,
    summary: 'Ten new recovery codes; the old ones no longer work',
    limit,
    output: z.object({ recoveryCodes: z.array(z.string()) }),
  }),
  beginPasskey: endpoint('POST /api/user/factors/passkeys/begin', {
    ...factorCall,
    fresh: true,
    proven: true,
    summary: 'What the browser needs to make a passkey',
    limit,
    output: passkeyMessage,
  }),
  addPasskey: endpoint('POST /api/user/factors/passkeys', {
    ...factorCall,
    fresh: true,
    proven: true,
    summary: 'Keep a passkey that the browser has made',
    limit,
    input: z.strictObject({ name: passkeyName, response: passkeyResponse }),
    output: recoveryCodesOutput,
  }),
  renamePasskey: endpoint('PATCH /api/user/factors/passkeys/:id', {
    ...factorCall,
    summary: 'Give a passkey another name',
    limit,
    input: z.strictObject({ id: passkeyId, name: passkeyName }),
  }),
  removePasskey: endpoint('DELETE /api/user/factors/passkeys/:id', {
    ...factorCall,
    fresh: true,
    summary: 'Remove a passkey',
    limit,
    input: z.strictObject({ id: passkeyId }),
  }),
}
