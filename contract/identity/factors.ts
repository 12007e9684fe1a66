import { endpoint, nothing } from '../endpoint.ts'
import { instant, text } from '../fields.ts'
import { type InferOutput, schema, type Zod } from '../schema.ts'

/** Six digits from the app, or a recovery code; people type either with spaces and dashes. */
export const typedCode = (z: Zod) => text(z, 40, 'Please enter your code')

/** What the browser's own passkey functions take and give; the server's library checks every part of it. */
export const passkeyMessage = schema((z) => z.record(z.string(), z.unknown()))

export const passkeyResponse = schema((z) =>
  passkeyMessage(z).check(
    z.refine<Record<string, unknown>>(
      (response) => sizeOf(response, 10) < 20_000,
      'This passkey could not be read',
    ),
  ),
)

/** Counted down to a few levels: what is nested without end would exhaust the stack. */
function sizeOf(value: unknown, levels: number): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 1
  if (levels === 0) return Number.POSITIVE_INFINITY
  return Object.entries(value).reduce((sum, [key, each]) => sum + key.length + sizeOf(each, levels - 1), 2)
}

const passkeyName = schema((z) => text(z, 60, 'Please enter a name'))
const passkeyId = schema((z) => z.string().check(z.regex(/^[\w-]{1,1400}$/, 'This is not a valid id')))

const passkey = schema((z) =>
  z.strictObject({
    id: z.string(),
    name: z.string(),
    /** Kept by a password manager on several devices. */
    isSynced: z.boolean(),
    createdAt: instant(z),
    lastUsedAt: z.nullable(instant(z)),
  }),
)
export type Passkey = InferOutput<typeof passkey>

/** Shown once, with the first factor or when renewed. */
const shownOnce = schema((z) => z.strictObject({ recoveryCodes: z.nullable(z.array(z.string())) }))

const mine = { access: 'user', whileSettingUp: true } as const
const limit = { requests: 20, seconds: 60 }

/** Passkeys, app codes and recovery codes of your own account. */
export const factors = {
  show: endpoint({
    ...mine,
    method: 'GET',
    path: '/api/user/factors',
    summary: 'How I log in: passkeys, app codes, and how many recovery codes are left',
    input: nothing,
    output: (z) =>
      z.strictObject({
        passkeys: z.array(passkey(z)),
        appCodesSince: z.nullable(instant(z)),
        recoveryCodesLeft: z.int(),
        /** Whether this account must have a second step. */
        isRequired: z.boolean(),
        /** Whether this login used a recovery code. */
        isRecovering: z.boolean(),
      }),
  }),
  beginAppCodes: endpoint({
    ...mine,
    method: 'POST',
    path: '/api/user/factors/app-codes/begin',
    fresh: true,
    proven: true,
    summary: 'A new secret for an authenticator app, as text and as a QR code',
    limit,
    input: nothing,
    output: (z) =>
      z.strictObject({
        secret: z.string(),
        /** The secret again, sealed: it comes back with the first code, and is stored only then. */
        sealed: z.string(),
        qr: z.strictObject({ size: z.int(), path: z.string() }),
      }),
  }),
  confirmAppCodes: endpoint({
    ...mine,
    method: 'POST',
    path: '/api/user/factors/app-codes',
    fresh: true,
    proven: true,
    summary: 'Turn on app codes, with the first one as proof; replaces an earlier app',
    limit,
    input: (z) => z.strictObject({ sealed: text(z, 400, 'Please start again'), code: typedCode(z) }),
    output: shownOnce,
  }),
  removeAppCodes: endpoint({
    ...mine,
    method: 'DELETE',
    path: '/api/user/factors/app-codes',
    fresh: true,
    summary: 'Turn off app codes',
    limit,
    input: nothing,
    output: nothing,
  }),
  renewRecoveryCodes: endpoint({
    ...mine,
    method: 'POST',
    path: '/api/user/factors/recovery-codes',
    fresh: true,
    proven: true,
    summary: 'Ten new recovery codes; the old ones no longer work',
    limit,
    input: nothing,
    output: (z) => z.strictObject({ recoveryCodes: z.array(z.string()) }),
  }),
  beginPasskey: endpoint({
    ...mine,
    method: 'POST',
    path: '/api/user/factors/passkeys/begin',
    fresh: true,
    proven: true,
    summary: 'What the browser needs to make a passkey',
    limit,
    input: nothing,
    output: passkeyMessage,
  }),
  addPasskey: endpoint({
    ...mine,
    method: 'POST',
    path: '/api/user/factors/passkeys',
    fresh: true,
    proven: true,
    summary: 'Keep a passkey that the browser has made',
    limit,
    input: (z) => z.strictObject({ name: passkeyName(z), response: passkeyResponse(z) }),
    output: shownOnce,
  }),
  renamePasskey: endpoint({
    ...mine,
    method: 'PATCH',
    path: '/api/user/factors/passkeys/:id',
    summary: 'Give a passkey another name',
    limit,
    input: (z) => z.strictObject({ id: passkeyId(z), name: passkeyName(z) }),
    output: nothing,
  }),
  removePasskey: endpoint({
    ...mine,
    method: 'DELETE',
    path: '/api/user/factors/passkeys/:id',
    fresh: true,
    summary: 'Remove a passkey',
    limit,
    input: (z) => z.strictObject({ id: passkeyId(z) }),
    output: nothing,
  }),
}
