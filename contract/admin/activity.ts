import * as z from 'zod/mini'
import { endpoint } from '../endpoint.ts'
import { id, instant, pageAndSearchFields } from '../fields.ts'

const auditEntry = z.object({
  id: z.int(),
  at: instant,
  actorEmail: z.string(),
  action: z.string(),
  subject: z.string(),
  detail: z.nullable(z.record(z.string(), z.unknown())),
  ip: z.string(),
})

export const audit = {
  adminList: endpoint('GET /api/admin/audit', {
    access: 'people.manage',
    summary: 'What admins did, newest first',
    input: z.strictObject(pageAndSearchFields),
    output: z.array(auditEntry),
    answer: 'list',
  }),
}

/** The keys are stored in the database, so they must never change. */
const auditActions = {
  'access.declined': 'Declined access',
  'access.kept': 'Kept the subscription of somebody declined',
  'access.granted': 'Unlocked access',
  'access.locked': 'Recorded that access was removed',
  'access.restored': 'Restored access',
  'access.reveal-keys': 'Looked at the exchange keys',
  'access.undone': 'Took back an unlock',
  'access.withheld': 'Removed access',
  'admin.add': 'Made an admin on the command line',
  'admin.first': 'Created the first admin',
  'admin.reset': 'Set a new password for an admin',
  'admin.reset-two-factor': 'Removed an admin’s second step',
  'asset.add': 'Added an asset',
  'asset.delete': 'Removed an asset',
  'asset.hide': 'Hid an asset',
  'asset.import': 'Imported assets',
  'asset.move': 'Moved an asset',
  'asset.note': 'Changed an asset’s note',
  'asset.review': 'Marked the assets as reviewed',
  'asset.show': 'Showed an asset',
  'backup.create': 'Made a backup',
  'backup.restore': 'Restored a backup',
  'code.add': 'Made a discount code',
  'code.stop': 'Stopped a discount code',
  'declaration.cancellation': 'Carried out a cancellation',
  'declaration.close': 'Closed a declaration',
  'declaration.link': 'Linked a declaration to its contract',
  'declaration.withdrawal': 'Carried out a withdrawal',
  'dispute.submit': 'Answered a dispute',
  'demo.fill': 'Filled the shop with a demo',
  'export.download': 'Downloaded an export',
  'factor.added': 'Added a way to log in',
  'factor.removed': 'Removed a way to log in',
  'job.discard': 'Discarded a failed job',
  'job.retry': 'Ran a failed job again',
  'mail.resend': 'Sent an email again',
  'message.reopen': 'Marked a message as open',
  'message.reply': 'Answered a message',
  'message.write': 'Wrote to a customer',
  'message.settle': 'Marked a message as answered',
  'newsletter.delete': 'Deleted a draft of a newsletter',
  'newsletter.pause': 'Paused a newsletter',
  'newsletter.resume': 'Resumed a newsletter',
  'newsletter.save': 'Saved a newsletter',
  'newsletter.send': 'Sent a newsletter',
  'newsletter.stop': 'Stopped a newsletter',
  'newsletter.suppress': 'Switched news by email off or on',
  'note.add': 'Added a note',
  'note.delete': 'Deleted a note',
  'payments.switch': 'Moved the shop to another payment account',
  'price.publish': 'Published a price',
  'price.plan': 'Matched a Stripe price to a plan',
  'purchase.add': 'Booked a purchase by hand',
  'purchase.cancel': 'Cancelled a purchase',
  'purchase.delete': 'Deleted a purchase',
  'purchase.extend': 'Extended a purchase',
  'purchase.import': 'Imported a subscription',
  'purchase.refund': 'Refunded a payment',
  'purchase.retry': 'Tried to charge a card again',
  'purchase.keep_after_loss': 'Kept a subscription after a lost dispute',
  'purchase.pay-link': 'Sent a link to pay',
  'purchase.resume': 'Took back a cancellation',
  'purchase.take-over': 'Took over a subscription from Stripe',
  'purchase.refund_settled': 'Paid a failed refund another way',
  'purchase.warning': 'Decided about a fraud warning',
  'reminders.send': 'Sent reminders',
  'review.answer': 'Answered a review',
  'review.hide': 'Hid a review',
  'secrets.rotate': 'Changed the key that seals secrets',
  'settings.save': 'Changed settings',
  'tradingview.adopt': 'Took over a person on TradingView',
  'tradingview.connect': 'Connected TradingView',
  'tradingview.drop-script': 'Stopped managing a script',
  'tradingview.forget': 'Disconnected TradingView',
  'tradingview.pause': 'Paused TradingView',
  'tradingview.reconcile': 'Compared the books with TradingView',
  'tradingview.remove': 'Removed a person on TradingView',
  'service-message.send': 'Sent a service message',
  'tradingview.rename': 'Changed a TradingView username',
  'tradingview.resume': 'Resumed TradingView',
  'tradingview.retry': 'Tried TradingView again',
  'tradingview.script': 'Chose a script to manage',
  'tradingview.settings': 'Changed how TradingView is used',
  'user.add': 'Added a user',
  'user.correct-email': 'Corrected the email',
  'user.delete': 'Deleted a user',
  'user.email': 'Changed the email',
  'user.email-undone': 'Took back a change of email',
  'user.export': 'Exported everything about a customer',
  'user.password-link': 'Sent a link to set a password',
  'user.role': 'Changed a role',
  'user.see-as': 'Looked at the dashboard as the buyer',
}
export type AuditedAction = keyof typeof auditActions

/** Returns the key itself for an action recorded by a newer version of the shop. */
export const auditSentence = (action: string) => {
  const sentences: Record<string, string | undefined> = auditActions
  return sentences[action] ?? action
}

const failedJob = z.object({
  id,
  /** The kind of job: `mail`, or the name of a schedule. */
  name: z.string(),
  /** Description for people, such as `receipt to ada@example.com`. */
  about: z.string(),
  error: z.string(),
  tries: z.int(),
  failedAt: instant,
})

export const jobs = {
  adminList: endpoint('GET /api/admin/failed-jobs', {
    access: 'settings.write',
    summary: 'Jobs that have failed permanently, newest first',
    input: z.strictObject(pageAndSearchFields),
    output: z.array(failedJob),
    answer: 'list',
  }),
  adminRetry: endpoint('POST /api/admin/failed-jobs/:id/retry', {
    access: 'settings.write',
    fresh: false,
    summary: 'Run a failed job again',
  }),
  adminDiscard: endpoint('DELETE /api/admin/failed-jobs/:id', {
    access: 'settings.write',
    fresh: false,
    summary: 'Discard a failed job',
  }),
}
