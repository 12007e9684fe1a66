import { Failure } from '../failure.ts'
import { account } from '../objects/blank.ts'
import type { Fault, SecretKeyState } from '../quirks.ts'
import type { Keys } from '../schema.ts'
import type { Work } from '../work.ts'

export const serverError = () =>
  new Failure(500, {
    type: 'api_error',
    message: 'An unknown error occurred. Please retry the request or contact support.',
  })

const rateLimitFailure = () =>
  new Failure(429, {
    type: 'invalid_request_error',
    code: 'rate_limit',
    message: 'Request rate limit exceeded. Learn more about rate limits here https://stripe.com/docs/rate-limits.',
  })

/** Has no `code`, like most of Stripe's refusals. */
const refusal = () => new Failure(400, { type: 'invalid_request_error', message: 'This request cannot be completed.' })

/** Faults before the request is processed: nothing takes effect or is stored. */
export const isEarly = ({ status }: Fault) => status < 500
/** Faults while the request is processed: the reply is stored under the idempotency key. */
export const isLate = ({ status }: Fault) => status >= 500

export const earlyFailure = ({ status }: Fault) => (status === 429 ? rateLimitFailure() : refusal())

/** A row lock gives each fault to one request only. */
export async function takeQueuedFault(
  { database, quirks }: Work,
  request: string,
  isEligible: (fault: Fault) => boolean,
): Promise<Fault | undefined> {
  if (!quirks.faults.some(isEligible)) return undefined
  const { rows } = await database.query<{ faults: Fault[] | null }>(
    `select quirks->'faults' as faults from sandbox.settings for update`,
  )
  const faults = rows[0]?.faults ?? []
  const index = faults.findIndex((fault) => isEligible(fault) && request.startsWith(fault.on ?? ''))
  if (index < 0) return undefined
  const [taken] = faults.splice(index, 1)
  await database.query(`update sandbox.settings set quirks = jsonb_set(quirks, '{faults}', $1)`, [
    JSON.stringify(faults),
  ])
  return taken
}

/** Half of the failed writes take effect anyway. */
export async function randomFault(work: Work): Promise<Fault | undefined> {
  const { failing: failureShare } = work.quirks
  if (failureShare === 0) return undefined
  const random = await work.randomNumbers()
  return random() < failureShare ? { status: 500, done: random() < 0.5 } : undefined
}

type Caller = { key: string | undefined; fromBrowser: boolean }

const keyFailure = (status: 401 | 403, message: string, code?: string) =>
  new Failure(status, { type: 'invalid_request_error', message, ...(code ? { code } : {}) })

const maskKey = (key: string) => `${key.slice(0, 8)}${'*'.repeat(12)}${key.slice(-4)}`

/** Returns false for the secret key; throws for any other key that is not the publishable one. */
export function isPublishable(keys: Keys, { key, fromBrowser }: Caller): boolean {
  if (key === keys.publishableKey) return true
  if (key === keys.secretKey && !fromBrowser) return false
  if (key === undefined) throw keyFailure(401, 'You did not provide an API key.')
  throw keyFailure(401, `Invalid API Key provided: ${maskKey(key)}`)
}

const permissionNames: Record<string, string> = {
  account: 'accounts_kyc_basic',
  balance_transactions: 'balance',
  invoice_payments: 'invoice',
  prices: 'plan',
  refunds: 'charge',
  webhook_endpoints: 'webhook',
}

/** `GET /v1/customers/cus_1` needs `rak_customer_read`. */
function permissionFor(method: string, path: string): string {
  const resource = path.split('/')[2] ?? ''
  const name = permissionNames[resource] ?? resource.replace(/s$/, '')
  return `rak_${name}_${method === 'GET' ? 'read' : 'write'}`
}

export function assertAllowed(keyState: SecretKeyState, secretKey: string, method: string, path: string) {
  if (keyState === 'works') return
  if (keyState === 'expired')
    throw keyFailure(401, `Expired API Key provided: ${maskKey(secretKey)}`, 'api_key_expired')
  const permission = permissionFor(method, path)
  if (!keyState.without.includes(permission)) return
  throw keyFailure(
    403,
    `The provided key '${maskKey(secretKey).replace('sk_', 'rk_')}' does not have the required permissions for this endpoint on account '${account.id}'. Having the '${permission}' permission would allow this request to continue.`,
  )
}
