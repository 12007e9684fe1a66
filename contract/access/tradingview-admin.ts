import * as z from 'zod/mini'
import { endpoint } from '../endpoint.ts'
import { id, instant, pageAndSearchFields, text } from '../fields.ts'
import { connectionModes, connectionStates } from '../statuses.ts'

const connection = z.object({
  /** False if the environment has TRADINGVIEW=off, which overrides every other setting. */
  isAllowed: z.boolean(),
  hasTradingViewSandbox: z.boolean(),
  state: z.enum(connectionStates),
  mode: z.enum(connectionModes),
  /** In test mode, the connector reads the lists of the real TradingView but never changes them. */
  isReadOnly: z.boolean(),
  host: z.string(),
  accountName: z.nullable(z.string()),
  risksAcceptedAt: z.nullable(instant),
  checkedAt: z.nullable(instant),
  okAt: z.nullable(instant),
  downSince: z.nullable(instant),
  lastError: z.nullable(z.string()),
  scripts: z.int(),
  people: z.int(),
  freezesAccessDuringDispute: z.boolean(),
  /** Number of people whom the guard against mass removal protected from being locked. */
  blockedRemovals: z.nullable(z.int()),
})
export type TradingViewConnection = z.infer<typeof connection>

const script = z.object({
  pineId: z.string(),
  name: z.string(),
  /** The product whose buyers this shop unlocks it for. */
  product: z.nullable(z.string()),
  problem: z.nullable(z.string()),
})

const foreignEntry = z.object({ id, username: z.string(), script: z.string(), until: z.nullable(instant) })

const preview = z.object({
  toUnlock: z.int(),
  toLock: z.int(),
  /** Entitled people whose username TradingView does not know, or that is invalid or another customer's. */
  unknownNames: z.int(),
  /** People unlocked by hand whom the connector would manage from then on. */
  managedFromNow: z.int(),
  /** Usernames on the lists that this shop never unlocked; they are left alone. */
  strangers: z.int(),
  /** People waiting for the connector; switching it off moves them to the seller's manual queue. */
  toHandOver: z.int(),
})
export type Preview = z.infer<typeof preview>

const run = z.object({
  id,
  script: z.string(),
  startedAt: instant,
  pages: z.int(),
  isComplete: z.boolean(),
  people: z.int(),
  /** People to be added to the list. */
  missing: z.int(),
  /** People on the list with a wrong end date. */
  wrong: z.int(),
  /** People to be removed from the list. */
  ended: z.int(),
  foreign: z.int(),
  blockedRemovals: z.int(),
  error: z.nullable(z.string()),
})

const meter = z.object({
  /** Buyers with a live purchase, plus `foreign`. */
  people: z.int(),
  foreign: z.int(),
  /** Last day of the current month. */
  lastDay: instant,
  forecast: z.int(),
  /** People whose access ends this month. */
  endBefore: z.int(),
  /** Expected new people until the end of the month. */
  newAtThisPace: z.int(),
  /** How close `people` is to the number above which TradingView reportedly charges. */
  level: z.enum(['calm', 'near', 'full']),
})

export const tradingViewAdmin = {
  show: endpoint('GET /api/admin/tradingview', {
    access: 'access.manage',
    summary: 'The connection to TradingView, without its cookies',
    output: connection,
  }),
  connect: endpoint('POST /api/admin/tradingview', {
    access: 'access.manage',
    summary: 'Connect with a session’s two cookies, or renew it; probed before it is stored',
    input: z.strictObject({
      cookies: text(4096, 'Please paste the cookies'),
      host: text(100, 'Please choose a host'),
      /** True if the seller accepts `tradingViewRisks`. */
      accepts: z.boolean(),
    }),
    limit: { requests: 20, seconds: 600 },
  }),
  test: endpoint('POST /api/admin/tradingview/test', {
    access: 'access.manage',
    fresh: false,
    summary: 'Ask TradingView whether the session is alive',
    limit: { requests: 20, seconds: 60 },
  }),
  pause: endpoint('POST /api/admin/tradingview/pause', {
    access: 'access.manage',
    summary: 'Stop calling TradingView; at most the call under way still finishes',
  }),
  resume: endpoint('POST /api/admin/tradingview/resume', {
    access: 'access.manage',
    summary: 'Call again, and catch up',
  }),
  forget: endpoint('POST /api/admin/tradingview/forget', {
    access: 'access.manage',
    summary: 'Delete the cookies and switch the connection off',
  }),
  reconcile: endpoint('POST /api/admin/tradingview/reconcile', {
    access: 'access.manage',
    fresh: false,
    summary: 'Compare every list with what is wanted, now',
    input: z.strictObject({
      /** Confirms removals that the guard against mass removal blocked. */
      mayRemove: z.optional(z.boolean()),
    }),
  }),
  settings: endpoint('PATCH /api/admin/tradingview', {
    access: 'access.manage',
    summary: 'Mode, and what an open dispute does',
    input: z.strictObject({
      mode: z.optional(z.enum(connectionModes)),
      freezesAccessDuringDispute: z.optional(z.boolean()),
    }),
  }),
  scripts: endpoint('GET /api/admin/tradingview/scripts', {
    access: 'access.manage',
    summary: 'The account’s own scripts, and which of them are unlocked',
    output: z.array(script),
  }),
  chooseScript: endpoint('POST /api/admin/tradingview/scripts', {
    access: 'access.manage',
    summary: 'Unlock this script for buyers; probed first',
    input: z.strictObject({ pineId: text(100, 'Please choose a script'), productId: id }),
  }),
  dropScript: endpoint('DELETE /api/admin/tradingview/scripts', {
    access: 'access.manage',
    summary: 'Stop managing a script; no one loses access',
    input: z.strictObject({ pineId: text(100, 'Please choose a script') }),
  }),
  preview: endpoint('GET /api/admin/tradingview/preview', {
    access: 'access.manage',
    summary: 'What switching on, off or to another mode would do',
    output: preview,
  }),
  foreignEntries: endpoint('GET /api/admin/tradingview/strangers', {
    access: 'access.manage',
    summary: 'Usernames on the lists that this shop never unlocked, newest first',
    input: z.strictObject(pageAndSearchFields),
    output: z.array(foreignEntry),
    answer: 'list',
  }),
  runs: endpoint('GET /api/admin/tradingview/runs', {
    access: 'access.manage',
    summary: 'What the latest comparisons found',
    output: z.array(run),
  }),
  meter: endpoint('GET /api/admin/tradingview/meter', {
    access: 'access.manage',
    summary: 'People with access now, and the forecast for the month’s last day',
    output: meter,
  }),
}

export const tradingViewRisks =
  'TradingView offers no official interface for this. The shop uses the same calls as the page on which you manage access, with your own session. TradingView’s terms do not allow commercial use of its services or interfaces without an agreement, and the calls can change or be blocked at any time; in the worst case TradingView restricts your account. Use it for your own scripts only. If it stops, nothing is lost: requests go to the manual queue.'
export const tradingViewAcceptance = 'I have read this and switch it on at my own risk.'
