import { brand } from '#contract/brand.ts'
import type { Seller } from '../../seller.ts'

export type Piece = { text: string; href?: string }
/** A paragraph of plain text, or pieces of text and links. Markup in the seller's settings is not interpreted. */
export type Words = string | Piece[]

/** Legal texts are data, so that pages and emails have the same text. */
export type LegalBlock = Words | { list: Words[] }
export type LegalText = { id: string; title: string; blocks: LegalBlock[] }

export type Party = { name: string; address: string[]; phone: string; email: string; publicUrl: string }

export const partyOf = (
  { name, street, city, country, phone }: Seller,
  { supportEmail, publicUrl }: { supportEmail: string; publicUrl: string },
): Party => ({
  name: name || brand.name,
  address: [street, city, country].filter(Boolean),
  phone,
  email: supportEmail,
  publicUrl,
})

export const link = (text: string, href: string): Piece => ({ text, href })

/** Tag for a paragraph with links: sentence`See your ${link('dashboard', '/dashboard')}.` */
export function sentence(parts: TemplateStringsArray, ...values: (string | Piece)[]): Piece[] {
  const pieces: Piece[] = []
  let text = ''
  for (const [index, part] of parts.entries()) {
    const value = values[index] ?? ''
    if (typeof value === 'string') text += part + value
    else {
      pieces.push({ text: text + part }, value)
      text = ''
    }
  }
  return [...pieces, { text }].filter((piece) => piece.text !== '')
}

export const piecesOf = (words: Words): Piece[] => (typeof words === 'string' ? [{ text: words }] : words)

export const isList = (block: LegalBlock): block is { list: Words[] } => typeof block === 'object' && 'list' in block
