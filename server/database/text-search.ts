import { asc, desc, type SQL, sql } from 'drizzle-orm'
import type { Database } from './connect.ts'
import type { Cursor } from './cursor.ts'
import { type purchases, users } from './schema.ts'

/** Up to this many users are looked up one by one; a more common word is found by walking the list. */
const few = 2000
/** The most rows one request walks; the next request continues from there. */
const stride = 5000

type List = typeof users | typeof purchases
export type Sort = 'newest' | 'oldest'

/** The users who match; or null when there are many, and how far this request may walk to find some. */
export type Found = { userIds: string[] | null; horizon: Cursor | undefined }

/** Rows after a position. */
export const beyond = (list: List, position: Cursor, sort: Sort) =>
  compare(list, sort === 'newest' ? '<' : '>', position)
/** All other rows: those before the position, and the one at it. */
export const upTo = (list: List, position: Cursor, sort: Sort) =>
  compare(list, sort === 'newest' ? '>=' : '<=', position)

const compare = (list: List, operator: string, { at, id }: Cursor): SQL =>
  sql`(${list.createdAt}, ${list.id}) ${sql.raw(operator)} (${at}, ${id})`

/** Sorted like the list's index or, when few rows are left, deliberately not: else the planner walks all of it. */
export function inOrder(list: List, sort: Sort, by: 'index' | 'sorting' = 'index'): SQL[] {
  const direction = sort === 'newest' ? desc : asc
  return [
    direction(by === 'index' ? list.createdAt : sql`${list.createdAt} + interval '0'`),
    direction(list.id),
  ]
}

const newestFirst = sql.join(inOrder(users, 'newest'), sql`, `)

export const matches = (q: string): SQL => sql`strpos(${users.searchText}, ${q.toLowerCase()}) > 0`

/** Finds a word in email or name: one statement, so that no request grows with the table. */
export async function findUsers(
  db: Database,
  q: string,
  { list, after, sort }: { list: List; after: Cursor | undefined; sort: Sort },
): Promise<Found> {
  const pattern = trigramPattern(q)
  const found = pattern
    ? sql`array(select id from ${users} where ${users.searchText} like ${pattern} and ${matches(q)} order by ${newestFirst} limit ${few + 1})`
    : sql`array_fill(null::uuid, array[${sql.raw(String(few + 1))}])`
  const { rows } = await db.execute<{ ids: string[] | null; at: string | null; id: string | null }>(sql`
    with found as materialized (select ${found} as ids)
    select case when cardinality(ids) <= ${few} then ids end as ids, horizon.created_at as at, horizon.id
    from found left join lateral (
      select created_at, id from ${list}
      where cardinality(ids) > ${few} and ${after ? beyond(list, after, sort) : sql`true`}
      order by ${sql.join(inOrder(list, sort), sql`, `)} offset ${stride} limit 1
    ) horizon on true`)
  const [{ ids, at, id } = { ids: null, at: null, id: null }] = rows
  return { userIds: ids, horizon: at && id ? { at: new Date(at), id } : undefined }
}

/**
 * Every trigram of a pattern costs an index lookup, and a long word is just as rare with a third of them: so letters
 * 1-3, 5-7, ... and the last three of each word are looked up; `matches` checks the rest. Undefined for short words.
 */
export function trigramPattern(q: string): string | undefined {
  const thinned = q
    .toLowerCase()
    // Half of all users share the rest of an email's domain.
    .replace(/(?<=.{3}@\w{3}).*$/, '')
    .replaceAll(/[^\p{L}\p{N}]/gu, '_')
    .replaceAll(/([\p{L}\p{N}]{3})[\p{L}\p{N}](?=[\p{L}\p{N}]{3})/gu, '$1_')
  return /[\p{L}\p{N}]{3}/u.test(thinned) ? `%${thinned}%` : undefined
}
