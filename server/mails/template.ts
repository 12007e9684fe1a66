import { createHash } from 'node:crypto'
import type { Block, Heading, Picture } from '#contract/markdown.ts'
import { isPersonName } from '#contract/person-name.ts'
import { type LawAndVenue, terms } from '#contract/selling/legal/terms.ts'
import type { LegalText, Party, Words } from '#contract/selling/legal/text.ts'
import { inert } from './inert.ts'

export type MailSite = {
  publicUrl: string
  supportEmail: string
  sender: string
  linkToken(purpose: string, signedValue: string): string
  party: Party
  consumerLaw: 'eu' | 'none'
  taxNote: string
  productsOnSale: { name: string; terms: string[]; list: string | null }[]
  law: LawAndVenue
}

/** The version is a hash, so it changes with every word. */
export function termsInForce({ party, consumerLaw, taxNote, productsOnSale, law }: TermsSite) {
  const sections = terms(party, { consumerLaw, taxNote, productsOnSale, law })
  const version = createHash('sha256').update(JSON.stringify(sections)).digest('hex').slice(0, 8)
  return { version, sections }
}
export type TermsSite = Pick<MailSite, 'party' | 'consumerLaw' | 'taxNote' | 'productsOnSale' | 'law'>

type Maybe<T> = T | false | null | undefined | ''
export type Detail = [label: string, value: string]
/** An address without a host is one of the shop's pages. */
export type Action = [label: string, address: string]

export type MailContent = {
  subject: string
  preheader?: string
  paragraphs: Maybe<string>[]
  blocks?: (Block | Heading | Picture)[]
  quote?: Maybe<string>
  details?: Maybe<Detail>[]
  action?: Maybe<Action>
  actionNote?: Maybe<string>
  footnote?: Maybe<Words>
  /** The law wants the buyer to have these texts in lasting form. */
  documents?: Maybe<LegalText[]>
  replyTo?: { name: string; address: string }
  headers?: Record<string, string>
}

/** `data` waits in the queue, so it holds no secrets. Secret links are made when the email is sent. */
export type Template<Data> = (data: Data, site: MailSite) => MailContent
export type Templates = Record<string, Template<never>>
export type Nothing = Record<string, never>

export const toDashboard: Action = ['Open your dashboard', '/dashboard']

/** A name must look like one, so that nobody can use it to send a message to someone else's address. */
export const greeting = (name: string) => (name && isPersonName(name) ? inert(`Hello ${name},`) : 'Hello,')
export const isGreeting = (text: string) => text.startsWith('Hello')

/** A count with its noun: `1 job`, `2 jobs`. */
export const counted = (count: number, one: string, many: string) => (count === 1 ? `1 ${one}` : `${count} ${many}`)
