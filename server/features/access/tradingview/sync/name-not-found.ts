import { eq } from 'drizzle-orm'
import { keyOfName } from '#contract/tradingview-name.ts'
import type { Transaction } from '#server/database/connect.ts'
import { users } from '#server/database/schema.ts'
import type { EntitlementRow } from '#server/features/access/entitlements/entitlements.ts'
import type { Mails } from '#server/mails/mails.ts'

/** Only the buyer knows what they are called on TradingView. Told once for each name and what looks like it. */
export async function tellNameNotFound(
  tx: Transaction,
  mails: Pick<Mails, 'sendOnce'>,
  { id, userId }: Pick<EntitlementRow, 'id' | 'userId'>,
  username: string,
  similar: string[],
) {
  const [person] = await tx.select().from(users).where(eq(users.id, userId))
  if (!person || person.deletedAt) return
  const about = { name: person.name, username, similar }
  const occasion = ['name', id, keyOfName(username), ...similar].join(' ')
  await mails.sendOnce(occasion, person.email, 'nameNotFound', about, tx)
}
