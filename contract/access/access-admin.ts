import * as z from 'zod/mini'
import { endpoint } from '../endpoint.ts'
import { id, instant, pageAndSearchFields, text } from '../fields.ts'
import { accessStates, entitlementReasons, todoKinds } from '../statuses.ts'
import { typedName } from './access.ts'

const user = z.object({ id, name: z.string(), email: z.string() })

const accessOwner = z.object({
  id,
  user,
  username: z.nullable(z.string()),
  state: z.enum(accessStates),
  /** Null if nothing is paid for. */
  reason: z.nullable(z.enum(entitlementReasons)),
  /** True for one minute after a grant. */
  mayUndo: z.boolean(),
  /** True without the connector: the seller adds the person on TradingView and records it here. */
  isByHand: z.boolean(),
})
export type AccessOwner = z.infer<typeof accessOwner>

const todo = z.extend(accessOwner, {
  /** For `move`, the username that still has access. For `renamed`, the recorded one; `username` is what TradingView shows. */
  oldUsername: z.nullable(z.string()),
  kind: z.enum(todoKinds),
  /** When the time promised to the buyer ends; null for a task without a promise. */
  due: z.nullable(instant),
  detail: z.nullable(z.string()),
  exchangeName: z.nullable(z.string()),
  additionalInfo: z.nullable(z.string()),
  hasKeys: z.boolean(),
  product: z.string(),
  scripts: z.array(z.string()),
  /** Expiry on TradingView; null without an end. */
  until: z.nullable(instant),
})
export type AccessTodo = z.infer<typeof todo>

const person = z.extend(accessOwner, {
  product: z.string(),
  until: z.nullable(instant),
  stateSince: instant,
  /** Declined together with the subscription, which still runs: support asked for its end, or the end failed. */
  endRequested: z.boolean(),
  /** Entries of TradingView’s own list, as last read. */
  lists: z.array(z.object({ script: z.string(), isPresent: z.nullable(z.boolean()), until: z.nullable(instant) })),
})
export type AccessPerson = z.infer<typeof person>

const historyEntry = z.object({ at: instant, what: z.string(), outcome: z.string(), detail: z.nullable(z.string()) })

export const maxIdsPerCall = 200
const chosenIds = z.strictObject({
  ids: z.array(id).check(z.minLength(1, 'Please choose someone'), z.maxLength(maxIdsPerCall)),
})
/** Number of changed rows; lower than the number of ids if another admin was faster. */
const changedCount = z.object({ changed: z.int() })

/** Common to the calls that decide about many people at once. */
const decisionCall = { access: 'access.decide', fresh: false, input: chosenIds, output: changedCount } as const

/** Every id is the id of an access row. */
export const accessAdmin = {
  todo: endpoint('GET /api/admin/access/todo', {
    access: 'access.decide',
    summary: 'Who waits for the seller, and for what; the longest wait first',
    input: z.strictObject({
      ...pageAndSearchFields,
      kind: z.optional(z.enum(todoKinds)),
      overdue: z.optional(z.enum(['yes', 'no'])),
    }),
    output: z.array(todo),
    answer: 'list',
  }),
  counts: endpoint('GET /api/admin/access/counts', {
    access: 'access.decide',
    summary: 'How many of each kind there are to do, and how many are being unlocked right now',
    output: z.object({ todo: z.record(z.enum(todoKinds), z.int()), addingNow: z.int() }),
  }),
  people: endpoint('GET /api/admin/access/people', {
    access: 'access.decide',
    summary: 'Everybody’s access, one row each, the latest change first',
    input: z.strictObject({
      ...pageAndSearchFields,
      state: z.optional(z.enum(accessStates)),
      endRequested: z.optional(z.enum(['yes'])),
    }),
    output: z.array(person),
    answer: 'list',
  }),
  history: endpoint('GET /api/admin/access/people/:id', {
    access: 'access.decide',
    summary: 'What happened to one person’s access, and what TradingView was asked about it, newest first',
    output: z.array(historyEntry),
  }),
  grant: endpoint('POST /api/admin/access/grant', {
    ...decisionCall,
    summary: 'Unlock for those who asked; a minute later, it can no longer be undone and the buyers get an email',
    /** `byHand`: the seller already unlocked it on TradingView, so the connector doesn't have to. */
    input: z.extend(chosenIds, { byHand: z.optional(z.boolean()) }),
  }),
  undo: endpoint('POST /api/admin/access/undo', {
    ...decisionCall,
    summary: 'Take an unlock back within a minute, before the buyer is told',
  }),
  restore: endpoint('POST /api/admin/access/restore', {
    ...decisionCall,
    summary: 'Unlock again what was withheld; can be undone for a minute',
  }),
  decline: endpoint('POST /api/admin/access/decline', {
    ...decisionCall,
    fresh: true,
    summary: 'Decline with a reason; emails the buyers and deletes the keys',
    /** `end` ends the subscription and refunds its latest payment. From support, it asks an admin to do so. */
    input: z.extend(chosenIds, { reason: text(500, 'Please give a reason'), subscription: z.enum(['keep', 'end']) }),
    /** A problem is one buyer's email address with sentences about what was not refunded or ended. */
    output: z.extend(changedCount, { problems: z.array(z.string()) }),
  }),
  settleDeclined: endpoint('POST /api/admin/access/people/:id/subscription', {
    access: 'money.refund',
    fresh: true,
    summary: 'Refund and end the subscription of somebody whose access was declined, or keep it',
    input: z.strictObject({ id, decision: z.enum(['keep', 'end']) }),
    /** Sentences about what was not refunded. */
    output: z.object({ problem: z.nullable(z.string()) }),
  }),
  withhold: endpoint('POST /api/admin/access/withhold', {
    ...decisionCall,
    fresh: true,
    summary: 'Remove access from people who pay, until it is restored; emails them',
  }),
  lock: endpoint('POST /api/admin/access/lock', {
    ...decisionCall,
    fresh: true,
    summary: 'Record that people who no longer pay were removed by hand; emails them',
  }),
  rename: endpoint('POST /api/admin/access/people/:id/rename', {
    access: 'access.manage',
    summary: 'Give a customer another TradingView username, without the buyers’ limit',
    input: z.strictObject({ id, username: typedName }),
  }),
  retry: endpoint('POST /api/admin/access/people/:id/retry', {
    access: 'access.manage',
    fresh: false,
    summary: 'Try again now on TradingView',
  }),
  adopt: endpoint('POST /api/admin/access/people/:id/adopt', {
    access: 'access.manage',
    summary: 'Manage access that was there before this shop unlocked it',
  }),
  reveal: endpoint('POST /api/admin/access/people/:id/reveal', {
    access: 'access.manage',
    summary: 'Show the exchange keys that somebody sent last; the audit log records who looked',
    output: z.object({ apiKey: z.string(), secretKey: z.string() }),
    limit: { requests: 30, seconds: 60 },
  }),
}

export const reminders = {
  adminCount: endpoint('GET /api/admin/reminders', {
    access: 'access.manage',
    summary: 'How many active buyers haven’t asked for access yet, nor been reminded this week',
    output: z.object({ due: z.int() }),
  }),
  adminSend: endpoint('POST /api/admin/reminders', {
    access: 'access.manage',
    fresh: false,
    summary: 'Email each of them a reminder',
    output: z.object({ queued: z.int() }),
  }),
}
