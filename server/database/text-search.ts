import { asc, between, desc, type SQL, sql } from 'drizzle-orm'
import { readContractNumber } from '#contract/selling/legal/consumer-law.ts'
import type { Database } from './connect.ts'
import type { Cursor } from './cursor.ts'
import { purchases, users } from './schema.ts'

/** Up to this many users are looked up one by one; a more common word is found by walking the list. */
const few = 2000
/** The most rows one request walks; the next request continues from there. */
const stride = 5000
/** Each costs two looks into an index. */
const mostLookups = 3

type List = typeof users | typeof purchases
export type Sort = 'newest' | 'oldest'

/** The users who match; or null when there are many, then the newest that an index found, and how far a request may walk. */
export type Found = { userIds: string[] | null; newest: string[]; horizon: Cursor | undefined }

export const beyond = (list: List, position: Cursor, sort: Sort) =>
  compare(list, sort === 'newest' ? '<' : '>', position)
export const upTo = (list: List, position: Cursor, sort: Sort) =>
  compare(list, sort === 'newest' ? '>=' : '<=', position)

const compare = (list: List, operator: string, { at, id }: Cursor): SQL =>
  sql`(${list.createdAt}, ${list.id}) ${sql.raw(operator)} (${at}, ${id})`

/** Sorted like the list's index or, when few rows are left, deliberately not: else the planner walks all of it. */
export function inOrder(list: List, sort: Sort, by: 'index' | 'sorting' = 'index'): SQL[] {
  const direction = sort === 'newest' ? desc : asc
  return [direction(by === 'index' ? list.createdAt : sql`${list.createdAt} + interval '0'`), direction(list.id)]
}

const newestFirst = sql.join(inOrder(users, 'newest'), sql`, `)

/** What someone typed, word by word: each must be found, in any order. */
export const wordsOf = (q: string) => q.toLowerCase().split(/\s+/).filter(Boolean)

const tradingViewName = sql`lower(${users.tradingViewUsername})`
const allOf = (words: string[], isIn: (word: string) => SQL) => sql`(${sql.join(words.map(isIn), sql` and `)})`

export const matches = (q: string): SQL =>
  allOf(
    wordsOf(q),
    (word) => sql`(strpos(${users.searchText}, ${word}) > 0 or strpos(${tradingViewName}, ${word}) > 0)`,
  )

/** What the indexes of trigrams look up: the longest words, which are the rarest. Undefined if all are too short. */
function lookup(q: string): SQL | undefined {
  const patterns = wordsOf(q)
    .toSorted((a, b) => b.length - a.length)
    .slice(0, mostLookups)
    .flatMap((word) => trigramPattern(word) ?? [])
  if (patterns.length === 0) return undefined
  return allOf(patterns, (pattern) => sql`(${users.searchText} like ${pattern} or ${tradingViewName} like ${pattern})`)
}

function ownersOfContract(q: string): SQL {
  const start = readContractNumber(q)
  const isIt = between(purchases.id, `${start}-0000-0000-0000-000000000000`, `${start}-ffff-ffff-ffff-ffffffffffff`)
  return start ? sql` || array(select ${purchases.userId} from ${purchases} where ${isIt})` : sql``
}

/** Finds words in email, name, or TradingView username: one statement, so that no request grows with the table. */
export async function findUsers(
  db: Database,
  q: string,
  { list, after, sort }: { list: List; after: Cursor | undefined; sort: Sort },
): Promise<Found> {
  const found = lookup(q)
  const ids = found
    ? sql`array(select id from ${users} where ${found} and ${matches(q)} order by ${newestFirst} limit ${few + 1})${ownersOfContract(q)}`
    : sql`array_fill(null::uuid, array[${sql.raw(String(few + 1))}])`
  const { rows } = await db.execute<{
    ids: string[] | null
    newest: string[]
    at: string | null
    id: string | null
  }>(sql`
    with found as materialized (select ${ids} as ids)
    select case when cardinality(ids) <= ${few} then ids end as ids, array_remove(ids[1:50], null) as newest, horizon.created_at as at, horizon.id
    from found left join lateral (
      select created_at, id from ${list}
      where cardinality(ids) > ${few} and ${after ? beyond(list, after, sort) : sql`true`}
      order by ${sql.join(inOrder(list, sort), sql`, `)} offset ${stride} limit 1
    ) horizon on true`)
  const [{ ids: userIds, newest, at, id } = { ids: null, newest: [], at: null, id: null }] = rows
  return { userIds, newest, horizon: at && id ? { at: new Date(at), id } : undefined }
}

/** Each trigram costs an index lookup, and a third of them is as rare: `matches` checks the rest. Undefined for short words. */
export function trigramPattern(q: string): string | undefined {
  const thinned = q
    .toLowerCase()
    // Half of all users share the rest of an email's domain.
    .replace(/(?<=.{3}@\w{3}).*$/, '')
    .replaceAll(/[^\p{L}\p{N}]/gu, '_')
    .replaceAll(/([\p{L}\p{N}]{3})[\p{L}\p{N}](?=[\p{L}\p{N}]{3})/gu, '$1_')
  return /[\p{L}\p{N}]{3}/u.test(thinned) ? `%${thinned}%` : undefined
}
