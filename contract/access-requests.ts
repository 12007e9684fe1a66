import * as z from 'zod/mini'
import { endpoint, nothing, paging } from './endpoint.ts'
import { billingType, id, instant, optionalText, paymentIntentId, text } from './fields.ts'
import { purchaseStatus } from './purchases.ts'

/** Access is promised within this time of the request. */
export const accessPromiseHours = 24
export const promisedBy = (submittedAt: Date) =>
  new Date(submittedAt.getTime() + accessPromiseHours * 3_600_000)

/** The form after payment; its texts are the spec's. */
export const accessRequestForm = z.strictObject({
  exchangeName: text(100, 'Exchange name is required'),
  tradingViewUsername: text(100, 'TradingView username is required'),
  apiKey: text(500, 'API key is required'),
  secretKey: text(500, 'Secret key is required'),
  additionalInfo: optionalText(2000),
})

/** The exchange's keys are never part of it. */
const accessRequest = z.strictObject({
  id,
  /** Null when the purchase was deleted. */
  purchaseId: z.nullable(id),
  exchangeName: z.string(),
  tradingViewUsername: z.string(),
  additionalInfo: z.nullable(z.string()),
  status: z.enum(['requested', 'granted', 'refused', 'revoked']),
  /** Why it was refused. */
  reason: z.nullable(z.string()),
  submittedAt: instant,
  promisedBy: instant,
  decidedAt: z.nullable(instant),
})
export type AccessRequest = z.output<typeof accessRequest>

const queuedRequest = z.extend(accessRequest, {
  /** Whether the exchange's keys can still be revealed. */
  hasKeys: z.boolean(),
  user: z.strictObject({ id, email: z.string(), name: z.string() }),
  purchase: z.nullable(z.strictObject({ billingType, status: purchaseStatus, endedAt: z.nullable(instant) })),
})
export type QueuedRequest = z.output<typeof queuedRequest>

export const refusalReason = text(500, 'Please give a reason')

const some = z.array(id).check(z.minLength(1, 'Please choose a request'), z.maxLength(200))
/** How many requests it changed: fewer than were named when somebody else was faster. */
const changed = z.strictObject({ changed: z.int() })
const pages = z.strictObject({ limit: paging.limit, cursor: paging.cursor })
const limit = { requests: 30, seconds: 60 }

export const accessRequests = {
  submit: endpoint({
    method: 'POST',
    path: '/api/access-requests',
    access: 'user',
    summary: 'Ask for access on TradingView, promised within 24 hours',
    input: z.extend(accessRequestForm, { paymentIntentId }),
    output: nothing,
    limit,
  }),
  submitForPurchase: endpoint({
    method: 'POST',
    path: '/api/purchases/:purchaseId/access-request',
    access: 'user',
    summary: 'Ask later, or again with another TradingView username; an open request is replaced',
    input: z.extend(accessRequestForm, { purchaseId: id }),
    output: nothing,
    limit,
  }),
  list: endpoint({
    method: 'GET',
    path: '/api/access-requests',
    access: 'user',
    summary: 'The latest request of each of my purchases',
    input: nothing,
    output: z.array(accessRequest),
  }),
  adminList: endpoint({
    method: 'GET',
    path: '/api/admin/access-requests',
    access: 'admin',
    summary: 'Open requests of live subscriptions, oldest first',
    input: pages,
    output: z.array(queuedRequest),
    answer: 'list',
  }),
  adminToRevoke: endpoint({
    method: 'GET',
    path: '/api/admin/access-requests/to-revoke',
    access: 'admin',
    summary: 'Granted access that no live subscription pays for any more, oldest first',
    input: pages,
    output: z.array(queuedRequest),
    answer: 'list',
  }),
  adminGrant: endpoint({
    method: 'POST',
    path: '/api/admin/access-requests/grant',
    access: 'admin',
    summary: 'Mark requests as granted; the buyers are mailed and the keys purged',
    input: z.strictObject({ ids: some }),
    output: changed,
  }),
  adminRefuse: endpoint({
    method: 'POST',
    path: '/api/admin/access-requests/refuse',
    access: 'admin',
    summary: 'Refuse requests with a reason; the buyers are mailed and the keys purged',
    input: z.strictObject({ ids: some, reason: refusalReason }),
    output: changed,
  }),
  adminRevoke: endpoint({
    method: 'POST',
    path: '/api/admin/access-requests/revoke',
    access: 'admin',
    summary: 'Mark access as revoked; the buyers are mailed',
    input: z.strictObject({ ids: some }),
    output: changed,
  }),
  adminReveal: endpoint({
    method: 'POST',
    path: '/api/admin/access-requests/:id/reveal',
    access: 'admin',
    summary: 'Show the exchange keys of one request; the audit log says who looked',
    input: z.strictObject({ id }),
    output: z.strictObject({ apiKey: z.string(), secretKey: z.string() }),
    limit,
  }),
}
