import { proxiesOf } from '../http/addresses.ts'
import { isLocalName } from '../http/this-machine.ts'
import { isCommonPassword } from '../security/common-passwords.ts'
import { isStrongKey } from '../security/secrets.ts'
import type { Settings } from './environment.ts'

/** Problems between settings that are each valid on their own. They stop the start. */
export const faultsOf = (s: Settings) => [
  ...keyFaults(s),
  ...(s.NODE_ENV === 'production' ? productionFaults(s) : exposures(s)),
]

/** Warnings that do not stop the start. Settings the admin area can change are on its checklist instead. */
export function* warningsAbout(s: Settings): Generator<string> {
  if (/^(true|yes|on)$/i.test(s.TRUST_PROXY))
    yield 'TRUST_PROXY=true is read as 1: one proxy. Set the number of proxies, or their addresses'
  if (s.NODE_ENV === 'production' && s.PUBLIC_URL?.startsWith('https:') && proxiesOf(s.TRUST_PROXY) === 0)
    yield 'TRUST_PROXY is not set, but https:// needs a proxy in front: all visitors will count as one address'
}

const takesPayments = (s: Settings) => s.STRIPE_SECRET_KEY !== undefined && s.PAYMENTS !== 'sandbox'
export const isLiveKey = (key: string | undefined) => key !== undefined && /^[a-z]+_live_/.test(key)
const hasLiveKey = (s: Settings) => isLiveKey(s.STRIPE_SECRET_KEY) || isLiveKey(s.STRIPE_PUBLISHABLE_KEY)

function* keyFaults(s: Settings) {
  const { STRIPE_SECRET_KEY: secret, STRIPE_PUBLISHABLE_KEY: publishable } = s
  if (s.PAYMENTS === 'stripe' && !secret) yield 'PAYMENTS=stripe needs STRIPE_SECRET_KEY'
  if (takesPayments(s) && !publishable) yield 'STRIPE_SECRET_KEY also needs STRIPE_PUBLISHABLE_KEY'
  if (takesPayments(s) && !s.STRIPE_WEBHOOK_SECRET) yield 'STRIPE_SECRET_KEY also needs STRIPE_WEBHOOK_SECRET'
  if (secret && publishable && isLiveKey(secret) !== isLiveKey(publishable))
    yield 'STRIPE_SECRET_KEY and STRIPE_PUBLISHABLE_KEY must both be live keys or both be test keys'
  if (s.PAYMENTS === 'sandbox' && hasLiveKey(s))
    yield 'PAYMENTS=sandbox with live Stripe keys: remove one, so it is clear whether money moves'
  if (s.ADMIN_PASSWORD && !s.ADMIN_EMAIL) yield 'ADMIN_PASSWORD also needs ADMIN_EMAIL'
  if (s.SECRETS_KEY && !isStrongKey(s.SECRETS_KEY)) yield 'SECRETS_KEY must be random (make one: openssl rand -hex 32)'
}

/** Outside production, emails and test payments are open to anyone at this machine, so no one else may get in. */
function* exposures(s: Settings) {
  const how = 'set NODE_ENV=production ("Sell with it" in README.md)'
  if (!isLocalName(s.HOST)) yield `HOST=${s.HOST} lets other machines in: ${how}, or leave HOST out`
  if (s.PUBLIC_URL && !isLocalName(new URL(s.PUBLIC_URL).hostname))
    yield `PUBLIC_URL=${s.PUBLIC_URL} is an address for others: ${how}, or leave PUBLIC_URL out`
  if (hasLiveKey(s) && s.PAYMENTS !== 'sandbox') yield `Live Stripe keys take real money: ${how}, or use test keys`
}

function* productionFaults(s: Settings) {
  if (!takesPayments(s) && s.PAYMENTS !== 'sandbox')
    yield 'In production, set STRIPE_SECRET_KEY, or PAYMENTS=sandbox to confirm that no money moves'
  if (!s.SECRETS_KEY) yield 'In production, set SECRETS_KEY (make one: openssl rand -hex 32) and keep a copy of it'
  if (!s.PUBLIC_URL) yield 'In production, set PUBLIC_URL to the address that visitors use'
  // Allowed, because compose.yaml starts with PUBLIC_URL at localhost.
  else if (!s.PUBLIC_URL.startsWith('https:') && !isLocalName(new URL(s.PUBLIC_URL).hostname))
    yield 'In production, PUBLIC_URL must start with https://, or passwords travel unencrypted'
  if (s.ADMIN_PASSWORD && isCommonPassword(s.ADMIN_PASSWORD))
    yield 'ADMIN_PASSWORD is one of the most common passwords. Choose another, or leave it out to have one generated'
  for (const name of ['DATABASE_URL', 'DATABASE_DIRECT_URL', 'DATABASE_REPLICA_URL'] as const)
    if (s[name] && !saysTls(new URL(s[name])))
      yield `In production, ${name} must end with ?sslmode=verify-full, or with ?sslmode=disable if the connection to the database is private`
  if (!isLiveKey(s.STRIPE_SECRET_KEY)) return
  if (!s.SUPPORT_EMAIL)
    yield 'With live Stripe keys, set SUPPORT_EMAIL: buyers write to it, and access requests are emailed to it'
  if (!s.SMTP_URL)
    yield 'With live Stripe keys, set SMTP_URL: without it, emails to buyers are only files in DATA_DIR/outbox'
}

/** The URL must say if the connection is encrypted, except on this machine. */
const saysTls = ({ hostname, searchParams }: URL) =>
  hostname === '' || isLocalName(hostname) || searchParams.has('sslmode') || searchParams.has('ssl')
