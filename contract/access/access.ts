import * as z from 'zod/mini'
import { endpoint } from '../endpoint.ts'
import { id, instant, optionalText, paymentIntentId, text } from '../fields.ts'
import { accessStates, entitlementReasons, nameProblems } from '../statuses.ts'
import { usernameRateLimit } from '../tradingview-name.ts'

/** A username, or a link to a TradingView profile, which is longer. */
export const typedName = text(200, 'TradingView username is required')

/** The form after payment. docs/product.md has its exact texts. */
export const accessRequestForm = z.strictObject({
  exchangeName: text(100, 'Exchange name is required'),
  tradingViewUsername: text(100, 'TradingView username is required'),
  apiKey: text(500, 'API key is required'),
  secretKey: text(500, 'Secret key is required'),
  additionalInfo: optionalText(2000),
})

/** For shops without ASK_EXCHANGE_KEYS. */
export const usernameForm = z.pick(accessRequestForm, { tradingViewUsername: true, additionalInfo: true })

/** The server requires the exchange fields if ASK_EXCHANGE_KEYS is on. */
const accessRequestInput = z.partial(accessRequestForm, { exchangeName: true, apiKey: true, secretKey: true })
export type AccessRequestInput = z.infer<typeof accessRequestInput>

const ownAccess = z.object({
  purchaseId: id,
  productId: id,
  /** Slug. */
  product: z.string(),
  state: z.enum(accessStates),
  username: z.nullable(z.string()),
  problem: z.nullable(z.enum(nameProblems)),
  /** Similar usernames that exist on TradingView. */
  similar: z.array(z.string()),
  until: z.nullable(instant),
  reason: z.nullable(z.enum(entitlementReasons)),
  /** When access is promised; null unless asked or unlocking. */
  promisedBy: z.nullable(instant),
  declinedBecause: z.nullable(z.string()),
  /** When the username may be changed again; null if it may be changed now. */
  mayChangeFrom: z.nullable(instant),
  /** The username that stays unlocked until the new one is unlocked. */
  oldUsername: z.nullable(z.string()),
  /** Time from the request to the unlock; null unless unlocked. */
  secondsToUnlock: z.nullable(z.int()),
  /** True if the connector unlocks; otherwise the seller does so by hand. */
  unlocksItself: z.boolean(),
})
export type OwnAccess = z.infer<typeof ownAccess>

export const access = {
  submit: endpoint('POST /api/access-requests', {
    summary: 'Request access on TradingView, promised within 24 hours',
    input: z.extend(accessRequestInput, { paymentIntentId }),
    limit: usernameRateLimit,
  }),
  submitForPurchase: endpoint('POST /api/purchases/:purchaseId/access-request', {
    summary: 'Request access later, or again with another TradingView username',
    input: z.extend(accessRequestInput, { purchaseId: id }),
    limit: usernameRateLimit,
  }),
  mine: endpoint('GET /api/access', {
    summary: 'The state of my access on TradingView, for each live purchase',
    output: z.array(ownAccess),
  }),
  recheck: endpoint('POST /api/access/recheck', {
    summary: 'Look again on TradingView',
    input: z.strictObject({ purchaseId: id }),
    limit: { requests: 10, seconds: 60 },
  }),
  changeUsername: endpoint('POST /api/access/username', {
    summary: 'Unlock another TradingView account; the old one stays until the new one is unlocked',
    input: z.strictObject({ purchaseId: id, username: typedName }),
    limit: usernameRateLimit,
  }),
  checkUsername: endpoint('POST /api/tradingview/check-username', {
    access: 'public',
    summary: 'Whether TradingView knows a username; null when it does not answer',
    input: z.strictObject({ username: typedName }),
    output: z.object({
      found: z.nullable(z.boolean()),
      username: z.nullable(z.string()),
      similar: z.array(z.string()),
      /** Why the text is not a valid username; null if it is one. */
      refusal: z.nullable(z.string()),
    }),
    limit: { requests: 10, seconds: 60 },
  }),
}
