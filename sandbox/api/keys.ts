import { Failure } from '../failure.ts'
import { account } from '../objects/account.ts'
import type { Key } from '../quirks.ts'
import type { Keys } from '../schema.ts'

type Given = { key: string | undefined; fromBrowser: boolean }

const refuse = (status: 401 | 403, message: string, code?: string) =>
  new Failure(status, { type: 'invalid_request_error', message, ...(code ? { code } : {}) })

const masked = (key: string) => `${key.slice(0, 8)}${'*'.repeat(12)}${key.slice(-4)}`

/** Whether this is the publishable key; anything that is not one of our keys is refused. */
export function isPublishable(keys: Keys, { key, fromBrowser }: Given): boolean {
  if (key === keys.publishableKey) return true
  if (key === keys.secretKey && !fromBrowser) return false
  if (key === undefined) throw refuse(401, 'You did not provide an API key.')
  throw refuse(401, `Invalid API Key provided: ${masked(key)}`)
}

/** Permission names that differ from the API's. */
const permissionNames: Record<string, string> = {
  account: 'accounts_kyc_basic',
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

/** What Stripe says to a secret key that was rolled or lacks permission. */
export function assertAllowed(state: Key, secretKey: string, method: string, path: string) {
  if (state.state === 'expired')
    throw refuse(401, `Expired API Key provided: ${masked(secretKey)}`, 'api_key_expired')
  if (state.state !== 'restricted') return
  const permission = permissionFor(method, path)
  if (!state.without.includes(permission)) return
  throw refuse(
    403,
    `The provided key '${masked(secretKey).replace('sk_', 'rk_')}' does not have the required permissions for this endpoint on account '${account.id}'. Having the '${permission}' permission would allow this request to continue.`,
  )
}
