import { endpoint } from '../endpoint.ts'
import { id, instant, optionalText, paymentIntentId, text } from '../fields.ts'
import { type InferOutput, object, schema } from '../schema.ts'
import { accessStates, entitlementReasons, nameProblems } from '../statuses.ts'
import { namesPerDay } from '../tradingview-name.ts'

/** Longer than a name may be, so links fit. */
export const typedName = schema((z) => text(z, 200, 'TradingView username is required'))

/** The form after payment; its texts are in docs/product.md. */
export const accessRequestForm = object((z) => ({
  exchangeName: text(z, 100, 'Exchange name is required'),
  tradingViewUsername: text(z, 100, 'TradingView username is required'),
  apiKey: text(z, 500, 'API key is required'),
  secretKey: text(z, 500, 'Secret key is required'),
  additionalInfo: optionalText(z, 2000),
}))

/** The same form where the shop asks for the username alone. */
export const usernameForm = schema((z) =>
  z.pick(accessRequestForm(z), { tradingViewUsername: true, additionalInfo: true }),
)

/** What a call may send; the server insists on the rest where the shop asks for it. */
const sentForm = schema((z) => {
  const { exchangeName, apiKey, secretKey } = accessRequestForm(z).shape
  return z.extend(usernameForm(z), {
    exchangeName: z.optional(exchangeName),
    apiKey: z.optional(apiKey),
    secretKey: z.optional(secretKey),
  })
})
export type SentAccessRequest = InferOutput<typeof sentForm>

const ownAccess = object((z) => ({
  purchaseId: id(z),
  productId: id(z),
  /** The product's slug. */
  product: z.string(),
  state: z.enum(accessStates),
  username: z.nullable(z.string()),
  problem: z.nullable(z.enum(nameProblems)),
  /** What TradingView knows that looks like it. */
  similar: z.array(z.string()),
  until: z.nullable(instant(z)),
  reason: z.nullable(z.enum(entitlementReasons)),
  /** While it waits: asked or unlocking. */
  promisedBy: z.nullable(instant(z)),
  declinedBecause: z.nullable(z.string()),
  /** Null when the name may be changed now. */
  mayChangeFrom: z.nullable(instant(z)),
  /** The name that stays unlocked until the new one is. */
  oldUsername: z.nullable(z.string()),
  /** Whether the connector unlocks at the moment; else the seller does by hand. */
  unlocksItself: z.boolean(),
}))
export type OwnAccess = InferOutput<typeof ownAccess>

export const access = {
  submit: endpoint('POST /api/access-requests', {
    summary: 'Request access on TradingView, promised within 24 hours',
    input: (z) => z.extend(sentForm(z), { paymentIntentId: paymentIntentId(z) }),
    limit: namesPerDay,
  }),
  submitForPurchase: endpoint('POST /api/purchases/:purchaseId/access-request', {
    summary: 'Request access later, or again with another TradingView username',
    input: (z) => z.extend(sentForm(z), { purchaseId: id(z) }),
    limit: namesPerDay,
  }),
  mine: endpoint('GET /api/access', {
    summary: 'The state of my access on TradingView, for each live purchase',
    output: (z) => z.array(ownAccess(z)),
  }),
  recheck: endpoint('POST /api/access/recheck', {
    summary: 'Look again on TradingView',
    input: object((z) => ({ purchaseId: id(z) })),
    limit: { requests: 10, seconds: 60 },
  }),
  changeUsername: endpoint('POST /api/access/username', {
    summary: 'Unlock another TradingView account; the old one stays until the new one is unlocked',
    input: object((z) => ({ purchaseId: id(z), username: typedName(z) })),
    limit: namesPerDay,
  }),
  checkUsername: endpoint('POST /api/tradingview/check-username', {
    access: 'public',
    summary: 'Whether TradingView knows a username; null when it does not answer',
    input: object((z) => ({ username: typedName(z) })),
    output: object((z) => ({
      found: z.nullable(z.boolean()),
      username: z.nullable(z.string()),
      similar: z.array(z.string()),
      /** Why it cannot be a username at all. */
      refusal: z.nullable(z.string()),
    })),
    limit: { requests: 10, seconds: 60 },
  }),
}
