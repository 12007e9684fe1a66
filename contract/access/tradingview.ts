import { endpoint, nothing } from '../endpoint.ts'
import { id, instant, text } from '../fields.ts'
import { type InferOutput, schema } from '../schema.ts'
import { accessStates, entitlementReasons } from '../statuses.ts'
import { namesPerDay } from '../tradingview-name.ts'

/** Longer than a name may be, so links fit. */
export const typedName = schema((z) => text(z, 200, 'TradingView username is required'))

const access = schema((z) =>
  z.strictObject({
    purchaseId: id(z),
    state: z.enum(accessStates),
    username: z.nullable(z.string()),
    /** What TradingView knows that looks like it. */
    similar: z.array(z.string()),
    until: z.nullable(instant(z)),
    reason: z.nullable(z.enum(entitlementReasons)),
    lastCheckedAt: z.nullable(instant(z)),
    /** Null when it may be changed now. */
    mayChangeFrom: z.nullable(instant(z)),
    /** The name that stays unlocked until the new one is. */
    oldUsername: z.nullable(z.string()),
  }),
)
export type Access = InferOutput<typeof access>

/** What buyers see of their access, and do about it. */
export const tradingView = {
  checkUsername: endpoint({
    method: 'POST',
    path: '/api/tradingview/check-username',
    access: 'public',
    summary: 'Whether TradingView knows a username; null when it does not answer',
    input: (z) => z.strictObject({ username: typedName(z) }),
    output: (z) =>
      z.strictObject({
        found: z.nullable(z.boolean()),
        username: z.nullable(z.string()),
        similar: z.array(z.string()),
        /** Why it cannot be a username at all. */
        refusal: z.nullable(z.string()),
      }),
    limit: { requests: 10, seconds: 60 },
  }),
  mine: endpoint({
    method: 'GET',
    path: '/api/access',
    access: 'user',
    summary: 'How my access on TradingView stands, for each live purchase',
    input: nothing,
    output: (z) => z.array(access(z)),
  }),
  recheck: endpoint({
    method: 'POST',
    path: '/api/access/recheck',
    access: 'user',
    summary: 'Look again on TradingView',
    input: (z) => z.strictObject({ purchaseId: id(z) }),
    output: nothing,
    limit: { requests: 10, seconds: 60 },
  }),
  changeUsername: endpoint({
    method: 'POST',
    path: '/api/access/username',
    access: 'user',
    summary: 'Unlock another TradingView account; the old one stays until the new one is unlocked',
    input: (z) => z.strictObject({ purchaseId: id(z), username: typedName(z) }),
    output: nothing,
    limit: namesPerDay,
  }),
}
