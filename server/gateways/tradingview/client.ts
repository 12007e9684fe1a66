import { keyOfName } from '#contract/tradingview-name.ts'
import { type Ask, type AskOptions, createAsk } from './ask.ts'
import { TradingViewFailure } from './failure.ts'
import { listPeople } from './people.ts'

export type TradingViewClient = ReturnType<typeof createTradingViewClient>

/** The calls of TradingView's own "Manage access" dialog. What it answers to a change is never believed: read again. */
export function createTradingViewClient(options: AskOptions) {
  const ask = createAsk(options)

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

  return {
    /** It is a search: only an exact hit counts, in TradingView's own spelling. */
    async findName(name: string): Promise<{ username: string } | { similar: string[] }> {
      const hits = await search(ask, name)
      const exact = hits.find((hit) => keyOfName(hit) === keyOfName(name))
      if (exact) return { username: exact }
      const beginning = name.slice(0, Math.max(3, name.length - 2))
      const near = hits.length > 0 || beginning === name ? hits : await search(ask, beginning)
      return { similar: near.slice(0, 3) }
    },

    /** To its end, or only this name. */
    people: (pineId: string, username?: string) => listPeople(ask, pineId, username),

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

async function search(ask: Ask, text: string): Promise<string[]> {
  const answer = await ask<unknown>({
    call: 'find',
    method: 'GET',
    path: `/username_hint/?s=${encodeURIComponent(text)}`,
  })
  const rows = Array.isArray(answer) ? answer : (answer as { results?: unknown } | null)?.results
  if (!Array.isArray(rows)) throw new TradingViewFailure('unknown', 'The search gave no list.')
  return rows
    .map((row) => (row as { username?: unknown } | null)?.username)
    .filter((name) => typeof name === 'string')
}
