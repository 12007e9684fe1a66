import { keyOfName } from '#contract/tradingview-name.ts'
import { cookieLine, type SessionCookies } from './cookies.ts'
import { failureOf, TradingViewFailure } from './failure.ts'

export type Person = { id: string; username: string; until: Date | null }
/** A list that did not reach its end says nothing about who is missing. */
export type PeopleList = { people: Person[]; isComplete: boolean; pages: number }

export type CallReport = {
  call: string
  pineId?: string | undefined
  username?: string | undefined
  outcome: string
  http?: number | undefined
  milliseconds: number
  excerpt?: string | undefined
}

type Options = {
  /** Such as `https://www.tradingview.com`. */
  address: string
  cookies: SessionCookies | undefined
  /** Asked before every call; throws when nothing may be called. */
  turn(): Promise<void>
  report(call: CallReport): void
  patienceMilliseconds?: number
}

type ListPage = { results?: unknown; next?: unknown }
type Ask = { call: string; method?: 'GET' | 'POST'; path: string; form?: Record<string, string> }

const pageSize = 20
/** 50,000 people; an endless chain of pages is no list. */
const mostPages = 2500

export type TradingViewClient = ReturnType<typeof createTradingViewClient>

/** The calls of TradingView's own "Manage access" dialog. What it answers to a change is never believed: read again. */
export function createTradingViewClient(options: Options) {
  const { address, cookies, turn, report, patienceMilliseconds = 10_000 } = options

  const withoutCookies = (text: string) => {
    const secrets = cookies ? Object.values(cookies) : []
    return secrets.reduce((cleaned, secret) => cleaned.replaceAll(secret, '…'), text).slice(0, 500)
  }

  async function ask<Answer>({ call, method = 'POST', path, form }: Ask): Promise<Answer> {
    await turn()
    const started = performance.now()
    const about = { call, pineId: form?.pine_id, username: form?.username_recip ?? form?.username }
    const finished = (
      outcome: string,
      more: { http?: number | undefined; excerpt?: string | undefined } = {},
    ) => report({ ...about, outcome, milliseconds: Math.round(performance.now() - started), ...more })
    try {
      const response = await fetch(new URL(path, address), {
        method,
        headers: {
          ...(cookies ? { cookie: cookieLine(cookies) } : {}),
          origin: address,
          referer: `${address}/`,
          'x-requested-with': 'XMLHttpRequest',
          'x-language': 'en',
          'user-agent': 'Mozilla/5.0 (X11; Linux x64; rv:140.0) Gecko/20100101 Firefox/140.0',
          accept: 'application/json',
        },
        ...(form ? { body: new URLSearchParams(form) } : {}),
        // Elsewhere, the cookies would be somebody else's to read.
        redirect: 'manual',
        signal: AbortSignal.timeout(patienceMilliseconds),
      })
      const text = await response.text()
      const excerpt = withoutCookies(text)
      if (!response.ok) throw failureOf(response.status, text, excerpt)
      const answer = parsed(text, response.status, excerpt) as Answer
      finished('ok', { http: response.status })
      return answer
    } catch (error) {
      const failure =
        error instanceof TradingViewFailure
          ? error
          : new TradingViewFailure('passing', 'TradingView did not answer.')
      finished(failure.kind, { http: failure.http, excerpt: failure.excerpt })
      throw failure
    }
  }

  async function change(call: string, path: string, pineId: string, username: string, until?: Date | null) {
    const { status } = await ask<{ status?: unknown }>({
      call,
      path,
      form: {
        pine_id: pineId,
        username_recip: username,
        ...(until ? { expiration: until.toISOString() } : {}),
      },
    })
    // Whatever it says, the next read decides.
    return typeof status === 'string' ? status : 'unknown'
  }

  async function search(text: string): Promise<string[]> {
    const answer = await ask<unknown>({
      call: 'find',
      method: 'GET',
      path: `/username_hint/?s=${encodeURIComponent(text)}`,
    })
    const rows = Array.isArray(answer) ? answer : (answer as { results?: unknown }).results
    if (!Array.isArray(rows)) throw new TradingViewFailure('unknown', 'The search gave no list.')
    return rows
      .map((row) => (row as { username?: unknown }).username)
      .filter((name) => typeof name === 'string')
  }

  /** A cursor dies when the list changes on the way; a page size that is no longer allowed is halved once. */
  async function listPage(path: string, pages: number, form: Record<string, string>) {
    try {
      return await ask<ListPage>({ call: 'list', path, form })
    } catch (error) {
      const http = error instanceof TradingViewFailure ? error.http : undefined
      if (pages > 0 && (http === 404 || http === 400)) return 'cursor died'
      if (http !== 400) throw error
      return ask<ListPage>({
        call: 'list',
        path: path.replace(`limit=${pageSize}`, `limit=${pageSize / 2}`),
        form,
      })
    }
  }

  return {
    /** It is a search: only an exact hit counts, in TradingView's own spelling. */
    async findName(name: string): Promise<{ username: string } | { similar: string[] }> {
      const hits = await search(name)
      const exact = hits.find((hit) => keyOfName(hit) === keyOfName(name))
      if (exact) return { username: exact }
      const beginning = name.slice(0, Math.max(3, name.length - 2))
      const near = hits.length > 0 || beginning === name ? hits : await search(beginning)
      return { similar: near.slice(0, 3) }
    },

    /** To its end, or only this name. */
    async people(pineId: string, username?: string): Promise<PeopleList> {
      const found = new Map<string, Person>()
      let path: string | null = `/pine_perm/list_users/?limit=${pageSize}&order_by=-created`
      let pages = 0
      while (path !== null && pages < mostPages) {
        const page: ListPage | 'cursor died' = await listPage(path, pages, {
          pine_id: pineId,
          ...(username ? { username } : {}),
        })
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
    },

    add: (pineId: string, username: string, until: Date | null) =>
      change('add', '/pine_perm/add/', pineId, username, until),
    modify: (pineId: string, username: string, until: Date | null) =>
      change('modify', '/pine_perm/modify_user_expiration/', pineId, username, until),
    remove: (pineId: string, username: string) => change('remove', '/pine_perm/remove/', pineId, username),

    /** Throws unless the session is alive; the account's name if TradingView tells it. */
    async probe(): Promise<string | null> {
      const { username } = await ask<{ username?: unknown }>({
        call: 'probe',
        method: 'GET',
        path: '/tvcoins/details/',
      })
      return typeof username === 'string' ? username : null
    },

    /** The account's own scripts. */
    async scripts(): Promise<{ pineId: string; name: string }[]> {
      const answer = await ask<unknown>({ call: 'scripts', method: 'GET', path: '/pine_perm/list_scripts/' })
      const ids = (Array.isArray(answer) ? answer : []).filter((id) => typeof id === 'string' && isPineId(id))
      if (ids.length === 0) return []
      const named = await ask<unknown>({
        call: 'scripts',
        path: '/pubscripts-get/',
        form: { scriptIdPart: ids.join(','), show_hidden: 'true' },
      })
      const rows = (Array.isArray(named) ? named : []) as { scriptIdPart?: unknown; scriptName?: unknown }[]
      return ids.map((pineId) => {
        const name = rows.find(({ scriptIdPart }) => scriptIdPart === pineId)?.scriptName
        return { pineId, name: typeof name === 'string' ? name : pineId }
      })
    },
  }
}

export const isPineId = (id: string) => /^PUB;[A-Za-z0-9]{6,64}$/.test(id)

function parsed(text: string, http: number, excerpt: string): unknown {
  if (/^\s*</.test(text)) throw failureOf(http, text, excerpt)
  try {
    return JSON.parse(text)
  } catch {
    throw new TradingViewFailure('passing', 'TradingView’s answer broke off.', { http, excerpt })
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
