import type pg from 'pg'
import { randomText } from '../basics.ts'

export type TradingViewControls = ReturnType<typeof createTradingViewControls>

export function createTradingViewControls({ database, now }: { database: pg.Pool; now: () => Promise<Date> }) {
  /** Makes the cursors of the access lists invalid. */
  const bumpChangeCount = () => database.query('update sandbox.tradingview_settings set changes = changes + 1')
  const addUser = (username: string) =>
    database.query('insert into sandbox.tradingview_users values ($1) on conflict do nothing', [username])
  const recordFormerName = (username: string) =>
    database.query('insert into sandbox.tradingview_former_names values (lower($1)) on conflict do nothing', [username])
  return {
    /** Value of the header `cookie` that a seller would copy from the browser. */
    async cookies() {
      const { rows } = await database.query<{ session_id: string; session_sign: string }>(
        'select session_id, session_sign from sandbox.tradingview_settings',
      )
      return `sessionid=${rows[0]?.session_id}; sessionid_sign=${rows[0]?.session_sign}`
    },
    endSession: () => database.query('update sandbox.tradingview_settings set is_logged_in = false'),
    logIn: () =>
      database.query(
        'update sandbox.tradingview_settings set is_logged_in = true, session_id = $1, session_sign = $2',
        [randomText(32), `v3:${randomText(43)}`],
      ),
    behave: (newFaults: Faults) =>
      database.query('update sandbox.tradingview_settings set faults = $1', [JSON.stringify(newFaults)]),
    addUser,
    async renameUser(from: string, to: string) {
      await database.query('update sandbox.tradingview_users set username = $2 where username = $1', [from, to])
      await recordFormerName(from)
      await bumpChangeCount()
    },
    async deleteUser(username: string) {
      await database.query('delete from sandbox.tradingview_users where username = $1', [username])
      await recordFormerName(username)
      await bumpChangeCount()
    },
    async addByHand(pineId: string, username: string, expiration: Date | null = null) {
      await addUser(username)
      await database.query(
        `insert into sandbox.tradingview_access (pine_id, username, expiration, created) values ($1, $2, $3, $4)
         on conflict (pine_id, username) do update set expiration = excluded.expiration`,
        [pineId, username, expiration, await now()],
      )
      await bumpChangeCount()
    },
    async removeByHand(pineId: string, username: string) {
      await database.query('delete from sandbox.tradingview_access where pine_id = $1 and username = $2', [
        pineId,
        username,
      ])
      await bumpChangeCount()
    },
    async people(pineId: string) {
      const { rows } = await database.query<{ username: string; expiration: Date | null }>(
        `select username, expiration from sandbox.tradingview_access
         where pine_id = $1 and (expiration is null or expiration > $2) order by username`,
        [pineId, await now()],
      )
      return rows
    },
    async calls() {
      const { rows } = await database.query<{
        id: string
        at: Date
        call: string
        pine_id: string | null
        username: string | null
        expiration: string | null
        status: number | null
        answer: string
      }>('select * from sandbox.tradingview_calls order by id')
      return rows
    },
  }
}

export const scripts = {
  indicator: 'PUB;4f1c2a9be07d4c3f8a5560d1e2b3c4d5',
  strategy: 'PUB;9b8a7c6d5e4f40318273645566778899',
}

export const faults = {
  none: 'answers as usual',
  robot: 'shows a page that checks for robots',
  html: 'answers with a page instead of JSON',
  limit: 'says 429: too many requests',
  error: 'says 500',
  slow: 'takes 15 seconds',
  drop: 'acts, then drops the connection',
  pretend: 'says ok without acting',
  owner: 'says the script is someone else’s',
  blocked: 'blocks this server’s address',
  odd: 'answers with an unknown status',
  broken: 'answers with half a JSON text',
} as const
export type Fault = keyof typeof faults

/** `next` faults come first, one call each; `always` hits a share (`rate`) of calls. `on` is a part of the path. */
export type Faults = { always?: Fault; rate?: number; next?: Fault[]; on?: string }
