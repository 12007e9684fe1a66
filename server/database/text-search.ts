import { and, asc, between, desc, like, type SQL, sql } from 'drizzle-orm'
import { readContractNumber } from '#contract/selling/legal/consumer-law.ts'
import { type Cursor, containing } from './cursor.ts'
import { purchases, users } from './schema.ts'

type SearchableTable = typeof users | typeof purchases
export type Sort = 'newest' | 'oldest'

export const isAfterCursor = (list: SearchableTable, { at, id }: Cursor, sort: Sort): SQL =>
  sql`(${list.createdAt}, ${list.id}) ${sql.raw(sort === 'newest' ? '<' : '>')} (${at}, ${id})`

export function inOrder(list: SearchableTable, sort: Sort): SQL[] {
  const direction = sort === 'newest' ? desc : asc
  return [direction(list.createdAt), direction(list.id)]
}

export const wordsOf = (q: string) => q.toLowerCase().split(/\s+/).filter(Boolean)

/** Words of one or two letters match only at the beginning of a word, because the trigram index needs three letters. */
const patternOf = (word: string) => (word.length < 3 ? containing(` ${word}`) : containing(word))

export const matchesUser = (q: string) => and(...wordsOf(q).map((word) => like(users.searchText, patternOf(word))))

export function usersMatching(q: string): SQL {
  const contractNumber = readContractNumber(q)
  const orOwnsContract = contractNumber
    ? sql` union select ${purchases.userId} from ${purchases} where ${hasIdStart(contractNumber)}`
    : sql``
  return sql`(select ${users.id} from ${users} where ${matchesUser(q)}${orOwnsContract})`
}

/** A contract number is the start of the purchase's id. A range can use the primary key's index. */
export const hasIdStart = (idStart: string) =>
  between(purchases.id, `${idStart}-0000-0000-0000-000000000000`, `${idStart}-ffff-ffff-ffff-ffffffffffff`)
