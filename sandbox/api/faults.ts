import { Failure } from '../failure.ts'
import { account } from '../objects/blank.ts'
import type { Fault, Key } from '../quirks.ts'
import type { Keys } from '../schema.ts'
import type { Work } from '../work.ts'

export const serverError = () =>
  new Failure(500, {
    type: 'api_error',
    message: 'An unknown error occurred. Please retry the request or contact support.',
  })

const rateLimited = () =>
  new Failure(429, {
    type: 'invalid_request_error',
    code: 'rate_limit',
    message: 'Request rate limit exceeded. Learn more about rate limits here https://stripe.com/docs/rate-limits.',
  })

/** Most of Stripe's refusals have no code. */
const refused = () => new Failure(400, { type: 'invalid_request_error', message: 'This request cannot be completed.' })

/** Fails before the request is processed: nothing is done or stored. */
export const isEarly = ({ status }: Fault) => status < 500
export const isLate = ({ status }: Fault) => status >= 500

export const earlyFailure = ({ status }: Fault) => (status === 429 ? rateLimited() : refused())

/** Takes the next fault requested for this kind of call. Each is used by one request, even with concurrent ones. */
export async function orderedFault(
  { database, quirks }: Work,
  request: string,
  isMeant: (fault: Fault) => boolean,
): Promise<Fault | undefined> {
  if (!quirks.faults.some(isMeant)) return undefined
  const { rows } = await database.query<{ faults: Fault[] | null }>(
    `select mischief->'faults' as faults from sandbox.settings for update`,
  )
  const faults = rows[0]?.faults ?? []
  const index = faults.findIndex((fault) => isMeant(fault) && request.startsWith(fault.on ?? ''))
  if (index < 0) return undefined
  const [taken] = faults.splice(index, 1)
  await database.query(`update sandbox.settings set mischief = jsonb_set(mischief, '{faults}', $1)`, [
    JSON.stringify(faults),
  ])
  return taken
}

export async function randomFault(work: Work): Promise<Fault | undefined> {
  const { failing } = work.quirks
  if (failing === 0) return undefined
  const chance = await work.chance()
  return chance() < failing ? { status: 500, done: chance() < 0.5 } : undefined
}

type Caller = { key: string | undefined; fromBrowser: boolean }

const refuse = (status: 401 | 403, message: string, code?: string) =>
  new Failure(status, { type: 'invalid_request_error', message, ...(code ? { code } : {}) })

const masked = (key: string) => `${key.slice(0, 8)}${'*'.repeat(12)}${key.slice(-4)}`

export function isPublishable(keys: Keys, { key, fromBrowser }: Caller): boolean {
  if (key === keys.publishableKey) return true
  if (key === keys.secretKey && !fromBrowser) return false
  if (key === undefined) throw refuse(401, 'You did not provide an API key.')
  throw refuse(401, `Invalid API Key provided: ${masked(key)}`)
}

/** Permission names that differ from the API's. */
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

/** Stripe's errors for a secret key that was rolled or lacks a permission. */
export function assertAllowed(state: Key, secretKey: string, method: string, path: string) {
  if (state === 'works') return
  if (state === 'expired') throw refuse(401, `Expired API Key provided: ${masked(secretKey)}`, 'api_key_expired')
  const permission = permissionFor(method, path)
  if (!state.without.includes(permission)) return
  throw refuse(
    403,
    `The provided key '${masked(secretKey).replace('sk_', 'rk_')}' does not have the required permissions for this endpoint on account '${account.id}'. Having the '${permission}' permission would allow this request to continue.`,
  )
}
