import { eq } from 'drizzle-orm'
import { declarations } from '../database/schema.ts'
import type { TestShop } from './open-shop.ts'

/** Input of a declaration. */
export const declared = (email: string) => ({ name: 'Ada Trader', contract: email, email })

export async function storedDeclaration(shop: TestShop, id: string) {
  const [declaration] = await shop.connection.db.select().from(declarations).where(eq(declarations.id, id))
  return declaration
}

export async function mailsTo(shop: TestShop, to: string) {
  await shop.settle()
  return (await shop.mails()).filter((mail) => mail.to === to)
}

export const linkIn = (text: string | undefined) => {
  const [, id = '', token = ''] = /confirm\?id=([\w-]+)&token=([\w-]+)/.exec(text ?? '') ?? []
  return { id, token }
}
