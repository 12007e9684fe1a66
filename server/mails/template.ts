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

/** The terms in force. Their version is a hash of the text, so every change of a word changes it. */
export function termsInForce({ party, consumerLaw, taxNote, sold, law }: TermsSite) {
  const sections = terms(party, { consumerLaw, taxNote, sold, law })
  const version = createHash('sha256').update(JSON.stringify(sections)).digest('hex').slice(0, 8)
  return { version, sections }
}
export type TermsSite = Pick<MailSite, 'party' | 'consumerLaw' | 'taxNote' | 'sold' | 'law'>

/** Optional part of an email; falsy values are left out. */
type Maybe<T> = T | false | null | undefined | ''
export type Detail = [label: string, value: string]
/** A button; an address without a host is one of the shop's pages. */
export type Action = [label: string, address: string]

/** Text of an email; `layout.ts` turns it into HTML. */
export type MailContent = {
  subject: string
  /** Line that email clients show next to the subject; the first paragraph by default. */
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
  /** Legal texts below the email: the law wants the buyer to have them in lasting form. */
  documents?: Maybe<LegalText[]>
  replyTo?: { name: string; address: string }
  headers?: Record<string, string>
}

/** `data` is plain JSON without secrets, because it waits in the queue. Secret links are made when the email is sent. */
export type Template<Data> = (data: Data, site: MailSite) => MailContent
export type Templates = Record<string, Template<never>>
export type Nothing = Record<string, never>

export const toDashboard: Action = ['Open your dashboard', '/dashboard']

/** Greets by name only if the name looks like one, so that nobody can use it to send a message to someone else's address. */
export const greeting = (name: string) => (name && isPersonName(name) ? inert(`Hello ${name},`) : 'Hello,')
export const isGreeting = (text: string) => text.startsWith('Hello')

let dates: Intl.DateTimeFormat | undefined

/** Formats a date. The formatter is slow to create, so it is created once, for the first email. */
export const day = (iso: string) => {
  dates ??= new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' })
  return dates.format(new Date(iso))
}
