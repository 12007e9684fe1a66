import { createHash } from 'node:crypto'
import type { Block, Heading, Picture } from '#contract/markdown.ts'
import { isPersonName } from '#contract/person-name.ts'
import { type LawAndVenue, terms } from '#contract/selling/legal/terms.ts'
import type { LegalText, Party, Words } from '#contract/selling/legal/text.ts'
import { inert } from './inert.ts'

export type MailSite = {
  publicUrl: string
  supportEmail: string
  /** Name and address of the seller, as in the imprint. */
  sender: string
  linkToken(purpose: string, signedValue: string): string
  party: Party
  consumerLaw: 'eu' | 'none'
  taxNote: string
  sold: { name: string; terms: string[]; list: string | null }[]
  law: LawAndVenue
}

/** The terms in force. The version is made of the text, so no word of it changes without it. */
export function termsInForce({ party, consumerLaw, taxNote, sold, law }: TermsSite) {
  const sections = terms(party, { consumerLaw, taxNote, sold, law })
  const version = createHash('sha256').update(JSON.stringify(sections)).digest('hex').slice(0, 8)
  return { version, sections }
}
export type TermsSite = Pick<MailSite, 'party' | 'consumerLaw' | 'taxNote' | 'sold' | 'law'>

/** Falsy parts are left out of the email. */
type Maybe<T> = T | false | null | undefined | ''
export type Detail = [label: string, value: string]
/** A button; an address without a host is one of the shop's pages. */
export type Action = [label: string, address: string]

/** Text of an email; `layout.ts` has the look of all of them. */
export type MailContent = {
  subject: string
  /** The line email clients show next to the subject; the first sentences, unless it says otherwise. */
  preheader?: string
  paragraphs: Maybe<string>[]
  /** Markdown by the seller. */
  blocks?: (Block | Heading | Picture)[]
  /** Quoted text by another person. */
  quote?: Maybe<string>
  details?: Maybe<Detail>[]
  action?: Maybe<Action>
  /** Small line directly below the button. */
  actionNote?: Maybe<string>
  footnote?: Maybe<Words>
  /** Texts to keep, below everything else: an email is where a contract lasts. */
  documents?: Maybe<LegalText[]>
  replyTo?: { name: string; address: string }
  headers?: Record<string, string>
}

/** Data waits in the queue: plain JSON without secrets. A link's secret is made when the email is written. */
export type Template<Data> = (data: Data, site: MailSite) => MailContent
export type Templates = Record<string, Template<never>>
export type Nothing = Record<string, never>

export const toDashboard: Action = ['Open your dashboard', '/dashboard']

/** A guest's name may be unknown, or a stranger's (`mails.ts`); and no one may use a sign-up name to send a message to someone else's address. */
export const greeting = (name: string) => (name && isPersonName(name) ? inert(`Hello ${name},`) : 'Hello,')
export const isGreeting = (text: string) => text.startsWith('Hello')

let dates: Intl.DateTimeFormat | undefined

/** The format is slow to make, so it is made once, for the first email. */
export const day = (iso: string) => {
  dates ??= new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' })
  return dates.format(new Date(iso))
}
