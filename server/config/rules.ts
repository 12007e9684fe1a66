import { proxiesOf } from '../http/addresses.ts'
import { isLocalName } from '../http/this-machine.ts'
import { isCommonPassword } from '../security/common-passwords.ts'
import { isStrongKey } from '../security/secrets.ts'
import type { Settings } from './environment.ts'

/** Problems between settings that are each valid on their own. */
export const faultsOf = (env: Settings) => [
  ...keyFaults(env),
  ...(env.NODE_ENV === 'production' ? productionFaults(env) : exposures(env)),
]

/** Settings that the admin area can change are on its checklist instead. */
export function* warningsAbout(env: Settings): Generator<string> {
  if (/^(true|yes|on)$/i.test(env.TRUST_PROXY))
    yield 'TRUST_PROXY=true is read as 1: one proxy. Set the number of proxies, or their addresses'
  if (env.NODE_ENV === 'production' && env.PUBLIC_URL?.startsWith('https:') && proxiesOf(env.TRUST_PROXY) === 0)
    yield 'TRUST_PROXY is not set, but https:// needs a proxy in front: all visitors will count as one address'
}

const takesPayments = (env: Settings) => env.STRIPE_SECRET_KEY !== undefined && env.PAYMENTS !== 'sandbox'
export const isLiveKey = (key: string | undefined) => key !== undefined && /^[a-z]+_live_/.test(key)
const hasLiveKey = (env: Settings) => isLiveKey(env.STRIPE_SECRET_KEY) || isLiveKey(env.STRIPE_PUBLISHABLE_KEY)

function* keyFaults(env: Settings) {
  const { STRIPE_SECRET_KEY: secret, STRIPE_PUBLISHABLE_KEY: publishable } = env
  if (env.PAYMENTS === 'stripe' && !secret) yield 'PAYMENTS=stripe needs STRIPE_SECRET_KEY'
  if (takesPayments(env) && !publishable) yield 'STRIPE_SECRET_KEY also needs STRIPE_PUBLISHABLE_KEY'
  if (takesPayments(env) && !env.STRIPE_WEBHOOK_SECRET) yield 'STRIPE_SECRET_KEY also needs STRIPE_WEBHOOK_SECRET'
  if (secret && publishable && isLiveKey(secret) !== isLiveKey(publishable))
    yield 'STRIPE_SECRET_KEY and STRIPE_PUBLISHABLE_KEY must both be live keys or both be test keys'
  if (env.PAYMENTS === 'sandbox' && hasLiveKey(env))
    yield 'PAYMENTS=sandbox with live Stripe keys: remove one, so it is clear whether money moves'
  if (env.ADMIN_PASSWORD && !env.ADMIN_EMAIL) yield 'ADMIN_PASSWORD also needs ADMIN_EMAIL'
  if (env.SECRETS_KEY && !isStrongKey(env.SECRETS_KEY))
    yield 'SECRETS_KEY must be random (make one: openssl rand -hex 32)'
}

/** Outside production, emails and test payments are open to anyone at this machine, so no one else may get in. */
function* exposures(env: Settings) {
  const remedy = 'set NODE_ENV=production ("Sell with it" in README.md)'
  if (!isLocalName(env.HOST)) yield `HOST=${env.HOST} lets other machines in: ${remedy}, or leave HOST out`
  if (env.PUBLIC_URL && !isLocalName(new URL(env.PUBLIC_URL).hostname))
    yield `PUBLIC_URL=${env.PUBLIC_URL} is an address for others: ${remedy}, or leave PUBLIC_URL out`
  if (hasLiveKey(env) && env.PAYMENTS !== 'sandbox')
    yield `Live Stripe keys take real money: ${remedy}, or use test keys`
}

function* productionFaults(env: Settings) {
  if (!takesPayments(env) && env.PAYMENTS !== 'sandbox')
    yield 'In production, set STRIPE_SECRET_KEY, or PAYMENTS=sandbox to confirm that no money moves'
  if (!env.SECRETS_KEY) yield 'In production, set SECRETS_KEY (make one: openssl rand -hex 32) and keep a copy of it'
  if (!env.PUBLIC_URL) yield 'In production, set PUBLIC_URL to the address that visitors use'
  // http://localhost is allowed, because compose.yaml starts with it.
  else if (!env.PUBLIC_URL.startsWith('https:') && !isLocalName(new URL(env.PUBLIC_URL).hostname))
    yield 'In production, PUBLIC_URL must start with https://, or passwords travel unencrypted'
  if (env.ADMIN_PASSWORD && isCommonPassword(env.ADMIN_PASSWORD))
    yield 'ADMIN_PASSWORD is one of the most common passwords. Choose another, or leave it out to have one generated'
  for (const name of ['DATABASE_URL', 'DATABASE_DIRECT_URL', 'DATABASE_REPLICA_URL'] as const)
    if (env[name] && !declaresTlsOrIsLocal(new URL(env[name])))
      yield `In production, ${name} must end with ?sslmode=verify-full, or with ?sslmode=disable if the connection to the database is private`
  if (!isLiveKey(env.STRIPE_SECRET_KEY)) return
  if (!env.SUPPORT_EMAIL)
    yield 'With live Stripe keys, set SUPPORT_EMAIL: buyers write to it, and access requests are emailed to it'
  if (!env.SMTP_URL)
    yield 'With live Stripe keys, set SMTP_URL: without it, emails to buyers are only files in DATA_DIR/outbox'
}

const declaresTlsOrIsLocal = ({ hostname, searchParams }: URL) =>
  hostname === '' || isLocalName(hostname) || searchParams.has('sslmode') || searchParams.has('ssl')
