import { endpoint, nothing, paging } from '../endpoint.ts'
import { billingType, id, instant, optionalText, paymentIntentId, text } from '../fields.ts'
import { type InferOutput, schema } from '../schema.ts'
import { purchaseStatus } from '../selling/purchases.ts'
import { type AccessRequestStatus, accessRequestStatuses } from '../statuses.ts'
import { namesPerDay } from '../tradingview-name.ts'

/** How soon after the request access is promised. */
export const accessPromiseHours = 24
export const promisedBy = (submittedAt: Date) =>
  new Date(submittedAt.getTime() + accessPromiseHours * 3_600_000)

/** The form after payment; its texts are in docs/product.md. */
export const accessRequestForm = schema((z) =>
  z.strictObject({
    exchangeName: text(z, 100, 'Exchange name is required'),
    tradingViewUsername: text(z, 100, 'TradingView username is required'),
    apiKey: text(z, 500, 'API key is required'),
    secretKey: text(z, 500, 'Secret key is required'),
    additionalInfo: optionalText(z, 2000),
  }),
)

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

/** Never includes the exchange keys. */
const accessRequest = schema((z) =>
  z.strictObject({
    id: id(z),
    /** Null once the purchase has been deleted. */
    purchaseId: z.nullable(id(z)),
    exchangeName: z.string(),
    tradingViewUsername: z.string(),
    additionalInfo: z.nullable(z.string()),
    status: z.enum(accessRequestStatuses),
    /** Why it was refused. */
    reason: z.nullable(z.string()),
    submittedAt: instant(z),
    promisedBy: instant(z),
    decidedAt: z.nullable(instant(z)),
  }),
)
export type AccessRequest = InferOutput<typeof accessRequest>

const queuedRequest = schema((z) =>
  z.extend(accessRequest(z), {
    /** Whether the exchange keys can still be revealed. */
    hasKeys: z.boolean(),
    user: z.strictObject({ id: id(z), email: z.string(), name: z.string() }),
    purchase: z.nullable(
      z.strictObject({
        billingType: billingType(z),
        status: purchaseStatus(z),
        endedAt: z.nullable(instant(z)),
      }),
    ),
  }),
)
export type QueuedRequest = InferOutput<typeof queuedRequest>

/** What is granted, and what is withheld although it is paid for. */
export const grantedStates = ['granted', 'revoked'] as const satisfies AccessRequestStatus[]

export const refusalReason = schema((z) => text(z, 500, 'Please give a reason'))

const some = schema((z) => z.array(id(z)).check(z.minLength(1, 'Please choose a request'), z.maxLength(200)))
/** How many requests changed: fewer than were named if another admin got there first. */
const changed = schema((z) => z.strictObject({ changed: z.int() }))
const pages = schema((z) => z.strictObject({ limit: paging(z).limit, cursor: paging(z).cursor }))

/** Parts of the queue: `overdue` is past the promise. */
export const requestViews = ['overdue'] as const

export const accessRequests = {
  submit: endpoint({
    method: 'POST',
    path: '/api/access-requests',
    access: 'user',
    summary: 'Request access on TradingView, promised within 24 hours',
    input: (z) => z.extend(sentForm(z), { paymentIntentId: paymentIntentId(z) }),
    output: nothing,
    limit: namesPerDay,
  }),
  submitForPurchase: endpoint({
    method: 'POST',
    path: '/api/purchases/:purchaseId/access-request',
    access: 'user',
    summary: 'Request access later, or again with another TradingView username; replaces an open request',
    input: (z) => z.extend(sentForm(z), { purchaseId: id(z) }),
    output: nothing,
    limit: namesPerDay,
  }),
  list: endpoint({
    method: 'GET',
    path: '/api/access-requests',
    access: 'user',
    summary: 'The latest request for each of my purchases',
    input: nothing,
    output: (z) => z.array(accessRequest(z)),
  }),
  adminList: endpoint({
    method: 'GET',
    path: '/api/admin/access-requests',
    access: 'staff',
    summary: 'Open requests for live subscriptions, oldest first',
    input: (z) => z.extend(pages(z), { show: z.optional(z.enum(requestViews)) }),
    output: (z) => z.array(queuedRequest(z)),
    answer: 'list',
  }),
  adminToRevoke: endpoint({
    method: 'GET',
    path: '/api/admin/access-requests/to-revoke',
    access: 'staff',
    summary: 'Granted access that no live subscription pays for anymore, oldest first',
    input: pages,
    output: (z) => z.array(queuedRequest(z)),
    answer: 'list',
  }),
  adminGrant: endpoint({
    method: 'POST',
    path: '/api/admin/access-requests/grant',
    access: 'staff',
    summary: 'Mark requests as granted; a minute later, the buyers get an email and the keys are deleted',
    input: (z) => z.strictObject({ ids: some(z) }),
    output: changed,
  }),
  adminUndo: endpoint({
    method: 'POST',
    path: '/api/admin/access-requests/undo',
    access: 'staff',
    summary: 'Take a grant back within a minute, before the buyer is told',
    input: (z) => z.strictObject({ ids: some(z) }),
    output: nothing,
  }),
  adminRefuse: endpoint({
    method: 'POST',
    path: '/api/admin/access-requests/refuse',
    access: 'staff',
    fresh: true,
    summary: 'Refuse requests with a reason; emails the buyers and deletes the keys',
    input: (z) => z.strictObject({ ids: some(z), reason: refusalReason(z) }),
    output: changed,
  }),
  adminRevoke: endpoint({
    method: 'POST',
    path: '/api/admin/access-requests/revoke',
    access: 'staff',
    fresh: true,
    summary: 'Mark access as revoked; emails the buyers',
    input: (z) => z.strictObject({ ids: some(z) }),
    output: changed,
  }),
  adminGranted: endpoint({
    method: 'GET',
    path: '/api/admin/access-requests/granted',
    access: 'staff',
    summary: 'What is granted, or was revoked although it is paid for, newest first',
    input: (z) => z.strictObject({ ...paging(z), state: z.optional(z.enum(grantedStates)) }),
    output: (z) => z.array(queuedRequest(z)),
    answer: 'list',
  }),
  adminRestore: endpoint({
    method: 'POST',
    path: '/api/admin/access-requests/restore',
    access: 'staff',
    summary:
      'Give back access that was revoked, while it is paid for; a minute later, the buyers get an email',
    input: (z) => z.strictObject({ ids: some(z) }),
    output: changed,
  }),
  adminReveal: endpoint({
    method: 'POST',
    path: '/api/admin/access-requests/:id/reveal',
    access: 'admin',
    fresh: true,
    summary: 'Show the exchange keys of one request; the audit log records who looked',
    input: (z) => z.strictObject({ id: id(z) }),
    output: (z) => z.strictObject({ apiKey: z.string(), secretKey: z.string() }),
    limit: { requests: 30, seconds: 60 },
  }),
}
