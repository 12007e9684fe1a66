import { and, asc, between, desc, like, type SQL, sql } from 'drizzle-orm'
import { readContractNumber } from '#contract/selling/legal/consumer-law.ts'
import { type Cursor, containing } from './cursor.ts'
import { purchases, users } from './schema.ts'

type List = typeof users | typeof purchases
export type Sort = 'newest' | 'oldest'

export const beyond = (list: List, { at, id }: Cursor, sort: Sort): SQL =>
  sql`(${list.createdAt}, ${list.id}) ${sql.raw(sort === 'newest' ? '<' : '>')} (${at}, ${id})`

export function inOrder(list: List, sort: Sort): SQL[] {
  const direction = sort === 'newest' ? desc : asc
  return [direction(list.createdAt), direction(list.id)]
}

/** Each word must be found, in any order. */
export const wordsOf = (q: string) => q.toLowerCase().split(/\s+/).filter(Boolean)

/** The trigram index finds three letters anywhere, and fewer only where a word begins. */
const patternOf = (word: string) => (word.length < 3 ? containing(` ${word}`) : containing(word))

/** Finds words in email, name and TradingView username. */
export const matchesUser = (q: string) => and(...wordsOf(q).map((word) => like(users.searchText, patternOf(word))))

/** Users by the words of `matchesUser`, or the buyer whose contract number was typed; a subquery of ids. */
export function usersMatching(q: string): SQL {
  const start = readContractNumber(q)
  const isIt = between(purchases.id, `${start}-0000-0000-0000-000000000000`, `${start}-ffff-ffff-ffff-ffffffffffff`)
  const byContract = start ? sql` union select ${purchases.userId} from ${purchases} where ${isIt}` : sql``
  return sql`(select ${users.id} from ${users} where ${matchesUser(q)}${byContract})`
}
