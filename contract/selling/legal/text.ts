import { brand } from '#contract/brand.ts'
import type { Seller } from '../../seller.ts'

/** Legal texts as data, so that a page and an email say the same. `[dashboard](/dashboard)` is a link. */
export type LegalBlock = string | { list: string[] }
export type LegalText = { id: string; title: string; blocks: LegalBlock[] }

/** Who sells, as the texts name them. */
export type Party = {
  name: string
  address: string[]
  phone: string
  email: string
  publicUrl: string
}

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

export type Piece = { text: string; href?: string }

/** A paragraph, split at its links. */
export function piecesOf(paragraph: string): Piece[] {
  const pieces: Piece[] = []
  let from = 0
  for (const found of paragraph.matchAll(/\[([^\]]+)\]\(([^)\s]+)\)/g)) {
    const [all, text = '', href = ''] = found
    if (found.index > from) pieces.push({ text: paragraph.slice(from, found.index) })
    pieces.push({ text, href })
    from = found.index + all.length
  }
  if (from < paragraph.length) pieces.push({ text: paragraph.slice(from) })
  return pieces
}
