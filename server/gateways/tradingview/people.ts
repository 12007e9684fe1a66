import { keyOfName } from '#contract/tradingview-name.ts'
import type { Ask } from './ask.ts'
import { TradingViewFailure } from './failure.ts'

type Person = { id: string; username: string; until: Date | null }
/** A list that did not reach its end says nothing about who is missing. */
export type PeopleList = { people: Person[]; isComplete: boolean; pages: number }

type ListPage = { results?: unknown; next?: unknown }

const pageSize = 20
/** 50,000 people; an endless chain of pages is no list. */
const mostPages = 2500
const firstPage = `/pine_perm/list_users/?limit=${pageSize}&order_by=-created`

/** Who may use a script: to the list's end, or only this name. */
export async function listPeople(ask: Ask, pineId: string, username?: string): Promise<PeopleList> {
  const form = { pine_id: pineId, ...(username ? { username } : {}) }
  const found = new Map<string, Person>()
  let path: string | null = firstPage
  let pages = 0
  while (path !== null && pages < mostPages) {
    const page: ListPage | 'cursor died' = await readPage(ask, path, pages, form)
    if (page === 'cursor died') return { people: [...found.values()], isComplete: false, pages }
    const { results, next } = page
    if (!Array.isArray(results) || (next !== null && next !== undefined && typeof next !== 'string'))
      throw new TradingViewFailure('unknown', 'The list has another form than it used to.')
    for (const row of results) {
      const person = personOf(row)
      found.set(keyOfName(person.username), person)
    }
    pages += 1
    path = next ? pathOnly(next) : null
  }
  return { people: [...found.values()], isComplete: path === null, pages }
}

/** A cursor dies when the list changes on the way; a page size that is no longer allowed is halved once. */
async function readPage(ask: Ask, path: string, pages: number, form: Record<string, string>) {
  try {
    return await ask<ListPage>({ call: 'list', path, form })
  } catch (error) {
    const { http, kind } = error instanceof TradingViewFailure ? error : {}
    const isBadPage = http === 400 && kind === 'unknown'
    if (pages > 0 && (http === 404 || isBadPage)) return 'cursor died'
    if (!isBadPage) throw error
    const smaller = path.replace(`limit=${pageSize}`, `limit=${pageSize / 2}`)
    return ask<ListPage>({ call: 'list', path: smaller, form })
  }
}

function personOf(row: unknown): Person {
  const { id, username, expiration } = (row ?? {}) as Record<string, unknown>
  const until = typeof expiration === 'string' ? new Date(expiration) : null
  if (typeof username !== 'string' || (until && Number.isNaN(until.getTime())))
    throw new TradingViewFailure('unknown', 'The list has another form than it used to.')
  return { id: typeof id === 'number' || typeof id === 'string' ? String(id) : '', username, until }
}

/** `next` is followed on the same host only, and only to the list. */
function pathOnly(next: string): string {
  const { pathname, search } = new URL(next, 'https://next.invalid')
  if (pathname !== '/pine_perm/list_users/')
    throw new TradingViewFailure('unknown', 'The list continues somewhere else than it used to.')
  return `${pathname}${search}`
}
