import { normalizeUsername } from '#contract/tradingview-name.ts'
import { type Ask, type AskOptions, createAsk, TradingViewFailure } from './ask.ts'

export type TradingViewClient = ReturnType<typeof createTradingViewClient>

/** TradingView's answer to a change proves nothing, so callers read the list again. */
export function createTradingViewClient({ mayWrite, ...options }: AskOptions & { mayWrite: boolean }) {
  const ask = createAsk(options)

  async function change(call: string, path: string, pineId: string, username: string, until?: Date | null) {
    if (!mayWrite) throw new TradingViewFailure('stopped', 'Test mode: nothing is written to TradingView.')
    const form: Record<string, string> = { pine_id: pineId, username_recip: username }
    if (until) form['expiration'] = until.toISOString()
    const { status } = await ask<{ status?: unknown }>({ call, path, form })
    return typeof status === 'string' ? status : 'unknown'
  }

  return {
    /** Returns the name in TradingView's spelling, or else up to three similar names. */
    async findName(name: string): Promise<{ username: string } | { similar: string[] }> {
      const hits = await search(ask, name)
      const exact = hits.find((hit) => normalizeUsername(hit) === normalizeUsername(name))
      if (exact) return { username: exact }
      if (hits.length > 0) return { similar: hits.slice(0, 3) }
      // Without any hit, searches again without the last two letters, which may be misspelled.
      const beginning = name.slice(0, Math.max(3, name.length - 2))
      const similar = beginning === name ? [] : await search(ask, beginning)
      return { similar: similar.slice(0, 3) }
    },

    people: (pineId: string, username?: string) => listPeople(ask, pineId, username),

    add: (pineId: string, username: string, until: Date | null) =>
      change('add', '/pine_perm/add/', pineId, username, until),
    modify: (pineId: string, username: string, until: Date | null) =>
      change('modify', '/pine_perm/modify_user_expiration/', pineId, username, until),
    remove: (pineId: string, username: string) => change('remove', '/pine_perm/remove/', pineId, username),

    /** Throws unless the session is valid. Null if TradingView does not send the account's name. */
    async probe(): Promise<string | null> {
      const { username } = await ask<{ username?: unknown }>({
        call: 'probe',
        method: 'GET',
        path: '/tvcoins/details/',
      })
      return typeof username === 'string' ? username : null
    },

    async scripts(): Promise<{ pineId: string; name: string }[]> {
      const answer = await ask<unknown>({ call: 'scripts', method: 'GET', path: '/pine_perm/list_scripts/' })
      const ids = (Array.isArray(answer) ? answer : []).filter((id) => typeof id === 'string' && isPineId(id))
      if (ids.length === 0) return []
      const namesAnswer = await ask<unknown>({
        call: 'scripts',
        path: '/pubscripts-get/',
        form: { scriptIdPart: ids.join(','), show_hidden: 'true' },
      })
      const rows = (Array.isArray(namesAnswer) ? namesAnswer : []) as { scriptIdPart?: unknown; scriptName?: unknown }[]
      return ids.map((pineId) => {
        const name = rows.find(({ scriptIdPart }) => scriptIdPart === pineId)?.scriptName
        return { pineId, name: typeof name === 'string' ? name : pineId }
      })
    },
  }
}

export const isPineId = (id: string) => /^PUB;[A-Za-z0-9]{6,64}$/.test(id)

async function search(ask: Ask, text: string): Promise<string[]> {
  const answer = await ask<unknown>({
    call: 'find',
    method: 'GET',
    path: `/username_hint/?s=${encodeURIComponent(text)}`,
  })
  const rows = Array.isArray(answer) ? answer : (answer as { results?: unknown } | null)?.results
  if (!Array.isArray(rows)) throw new TradingViewFailure('unknown', 'The search gave no list.')
  return rows.map((row) => (row as { username?: unknown } | null)?.username).filter((name) => typeof name === 'string')
}

type Person = { id: string; username: string; until: Date | null }
/** An incomplete list does not prove that someone is missing. */
export type PeopleList = { people: Person[]; isComplete: boolean; pages: number }

type ListPage = { results?: unknown; next?: unknown }

const pageSize = 20
/** 50,000 people, against an endless chain of pages. */
const maxPages = 2500
const firstPage = `/pine_perm/list_users/?limit=${pageSize}&order_by=-created`

async function listPeople(ask: Ask, pineId: string, username?: string): Promise<PeopleList> {
  const form: Record<string, string> = { pine_id: pineId }
  if (username) form['username'] = username
  const peopleByName = new Map<string, Person>()
  let path: string | null = firstPage
  let pages = 0
  while (path !== null && pages < maxPages) {
    const page: ListPage | 'cursor died' = await readPage(ask, path, pages, form)
    if (page === 'cursor died') return { people: [...peopleByName.values()], isComplete: false, pages }
    const { results, next } = page
    const isNextValid = next === null || next === undefined || typeof next === 'string'
    if (!Array.isArray(results) || !isNextValid)
      throw new TradingViewFailure('unknown', 'The list has another form than it used to.')
    for (const row of results) {
      const person = personOf(row)
      peopleByName.set(normalizeUsername(person.username), person)
    }
    pages += 1
    path = next ? pathOnly(next) : null
  }
  return { people: [...peopleByName.values()], isComplete: path === null, pages }
}

/** Cursors become invalid when the list changes. A refused page size is halved once. */
async function readPage(ask: Ask, path: string, pages: number, form: Record<string, string>) {
  try {
    return await ask<ListPage>({ call: 'list', path, form })
  } catch (error) {
    const { http, kind } = error instanceof TradingViewFailure ? error : {}
    const isBadPage = http === 400 && kind === 'unknown'
    if (pages > 0 && (http === 404 || isBadPage)) return 'cursor died'
    if (!isBadPage) throw error
    const pathWithSmallerPage = path.replace(`limit=${pageSize}`, `limit=${pageSize / 2}`)
    return ask<ListPage>({ call: 'list', path: pathWithSmallerPage, form })
  }
}

function personOf(row: unknown): Person {
  const { id, username, expiration } = (row ?? {}) as Record<string, unknown>
  const until = typeof expiration === 'string' ? new Date(expiration) : null
  if (typeof username !== 'string' || (until && Number.isNaN(until.getTime())))
    throw new TradingViewFailure('unknown', 'The list has another form than it used to.')
  return { id: typeof id === 'number' || typeof id === 'string' ? String(id) : '', username, until }
}

/** Removes the host, because the cookies must go to no other host and no other call. */
function pathOnly(next: string): string {
  const { pathname, search: query } = new URL(next, 'https://next.invalid')
  if (pathname !== '/pine_perm/list_users/')
    throw new TradingViewFailure('unknown', 'The list continues somewhere else than it used to.')
  return `${pathname}${query}`
}
