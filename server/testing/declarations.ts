import { eq } from 'drizzle-orm'
import { declarations } from '../database/schema.ts'
import type { TestShop } from './open-shop.ts'

/** Input of a declaration. */
export const declared = (email: string) => ({ name: 'Ada Trader', contract: email, email })

export const storedDeclaration = async (shop: TestShop, id: string) =>
  (await shop.connection.db.select().from(declarations).where(eq(declarations.id, id)))[0]

export async function mailsTo(shop: TestShop, to: string) {
  await shop.settle()
  return (await shop.mails()).filter((mail) => mail.to === to)
}

export const linkIn = (text: string | undefined) => {
  const [, id = '', token = ''] = /confirm\?id=([\w-]+)&token=([\w-]+)/.exec(text ?? '') ?? []
  return { id, token }
}
