import { access } from '#contract/access/access.ts'
import { createCaller } from '#contract/call.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { catalog } from '#contract/selling/catalog.ts'
import { checkout } from '#contract/selling/checkout.ts'
import type { BillingType } from '#contract/statuses.ts'
import { createStripeGateway } from '#server/gateways/stripe.ts'
import type { Shop } from '#server/start.ts'

export type Person = { name: string; email: string; password: string }

export function stripeOf({ sandbox }: Shop) {
  if (!sandbox) throw new Error('The demo buys with test cards only')
  const { secretKey, api } = sandbox
  return createStripeGateway({ secretKey, webhookSecret: '', address: api })
}

export const idOf = (clientSecret: string) => clientSecret.split('_secret_')[0] ?? ''

export async function useCard(
  { config, sandbox }: Shop,
  kind: 'payment_intents' | 'setup_intents',
  clientSecret: string,
  card: string,
) {
  const response = await fetch(`${config.publicUrl}/_sandbox/v1/${kind}/${idOf(clientSecret)}/confirm`, {
    method: 'POST',
    headers: { authorization: `Bearer ${sandbox?.publishableKey}` },
    body: new URLSearchParams({ client_secret: clientSecret, payment_method: card }),
  })
  if (!response.ok) throw new Error(`The sandbox refused a test card: ${await response.text()}`)
}

export async function buyAndAskForAccess(shop: Shop, buyer: Person, tradingViewUsername: string) {
  const { call, paymentIntentId } = await buy(shop, buyer, 'monthly')
  await call(access.submit, {
    paymentIntentId,
    exchangeName: 'Kraken',
    tradingViewUsername,
    apiKey: 'demo-key',
    secretKey: 'not a real secret',
  })
}

export function createBrowserCaller(shop: Shop) {
  let cookie = ''
  return createCaller(async (path, init) => {
    const headers = new Headers(init.headers)
    headers.set('cookie', cookie)
    const response = await fetch(new URL(path, shop.config.publicUrl), { ...init, headers })
    const newCookies = response.headers.getSetCookie().map((line) => line.split(';')[0])
    cookie = [cookie, ...newCookies].filter(Boolean).join('; ')
    return response
  })
}

export async function buy(shop: Shop, buyer: Person, billingType: BillingType, code?: string) {
  const { call } = createBrowserCaller(shop)
  // A returning buyer has an account, so registering is refused.
  await call(accounts.register, buyer).catch(() =>
    call(accounts.login, { email: buyer.email, password: buyer.password }),
  )
  const [product] = await call(catalog.list, {})
  const { clientSecret } = await call(checkout.createSubscriptionIntent, {
    productSlug: product?.slug ?? '',
    billingType,
    code,
    // Same as in fill.sql, whose purchases get payments like these.
    place: { country: billingType === 'yearly' ? 'CH' : 'DE' },
  })
  const paymentIntentId = idOf(clientSecret)
  await call(checkout.agree, { paymentIntentId })
  await useCard(shop, 'payment_intents', clientSecret, 'pm_card_visa')
  await shop.sandbox?.controls.settle()
  await call(checkout.confirm, { paymentIntentId })
  const { rows } = await shop.connection.pool.query<{ id: string; subscriptionId: string }>(
    'select id, stripe_subscription_id as "subscriptionId" from purchases where payment_intent_id = $1',
    [paymentIntentId],
  )
  if (!rows[0]) throw new Error('The purchase was not booked')
  return { call, paymentIntentId, ...rows[0] }
}
