import { looksLikeLink } from '#contract/fields.ts'

/** What a template may know of the shop. */
export type MailSite = {
  publicUrl: string
  supportEmail: string
  /** Who stands behind the shop, as the imprint says it. */
  sender: string
  linkToken(purpose: string, rowId: string): string
}

/** What a mail says; its look is decided in `layout.ts`, once for all of them. */
export type MailContent = {
  subject: string
  /** The line that mail programs show beside the subject. */
  preheader: string
  heading: string
  paragraphs: string[]
  /** What a person wrote, set apart from our own words. */
  quote?: string
  /** Facts worth a glance: what, how much, when. */
  details?: [label: string, value: string][]
  action?: { label: string; url: string }
  /** Small print below the action. */
  footnote?: string
  replyTo?: { name: string; address: string }
  headers?: Record<string, string>
}

/**
 * Data is small, plain JSON and free of secrets, because it waits in the queue: moments are ISO text,
 * money is cents, and the secret of a link is made when the mail is written.
 */
export type Template<Data> = (data: Data, site: MailSite) => MailContent

/** A guest's name may be unknown; and who signs up with somebody else's address does not write to them through us. */
export const greeting = (name: string) => (name && !looksLikeLink(name) ? `Hello ${name},` : 'Hello,')

export const dollars = (cents: number) =>
  (cents / 100).toLocaleString('en-US', { style: 'currency', currency: 'USD' })

export const day = (iso: string) =>
  new Date(iso).toLocaleDateString('en-US', { dateStyle: 'long', timeZone: 'UTC' })
