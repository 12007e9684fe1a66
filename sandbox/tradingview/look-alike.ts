import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type pg from 'pg'
import { randomText } from '../basics.ts'
import { readBody } from '../http.ts'
import { prepare } from '../schema.ts'
import { type Answer, createAnswers, type Request } from './answers.ts'
import { createTradingViewControls, type Fault, type Faults, scripts } from './controls.ts'
import { createTradingViewPage } from './page.ts'

export type LookAlikeOptions = {
  /** Database for its tables, in the schema `sandbox`. */
  database: pg.Pool
  /** Access expires by the sandbox's clock. */
  now: () => Promise<Date>
  mayControl: (request: IncomingMessage) => boolean | Promise<boolean>
  log: (message: string, detail?: object) => void
}

export type TradingViewLookAlike = Awaited<ReturnType<typeof openTradingViewLookAlike>>

const slowness = 15_000
/** Answers that claim success without acting. */
const insteadOf: Partial<Record<Fault, [answer: Answer, type?: string]>> = {
  limit: [{ status: 429, body: { detail: 'Request was throttled.' } }],
  error: [{ status: 500, body: 'Internal Server Error' }, 'text/plain'],
  robot: [
    { status: 200, body: '<!doctype html><html class="is-not-authenticated"><title>Are you a robot?</title></html>' },
    'text/html',
  ],
  html: [{ status: 200, body: '<!doctype html><title>TradingView</title>' }, 'text/html'],
  blocked: [
    { status: 403, body: '<!doctype html><title>403 ERROR: The request could not be satisfied</title>' },
    'text/html',
  ],
  owner: [{ status: 403, body: { detail: 'You are not the owner of this script.' } }],
  pretend: [{ status: 200, body: { status: 'ok' } }],
}

/** Answers like the page on which TradingView's authors manage access. Any number of processes may open it on one database. */
export async function openTradingViewLookAlike({ database, now, mayControl, log }: LookAlikeOptions) {
  await prepareTradingView(database)
  const answer = createAnswers({ database, now })

  /** Returns the fault of this call, if any, and removes it from the queue. */
  async function faultFor(call: string): Promise<Fault> {
    const { rows } = await database.query<{ faults: Faults }>('select faults from sandbox.tradingview_settings')
    const { always = 'none', rate = 1, next = [], on } = rows[0]?.faults ?? {}
    if (on !== undefined && !call.includes(on)) return 'none'
    const [first, ...rest] = next
    if (first === undefined) return Math.random() < rate ? always : 'none'
    await database.query(`update sandbox.tradingview_settings set faults = jsonb_set(faults, '{next}', $1)`, [
      JSON.stringify(rest),
    ])
    return first
  }

  const note = ({ path, form, query }: Request, status: number | null, outcome: string) =>
    database.query(
      'insert into sandbox.tradingview_calls (call, pine_id, username, expiration, status, answer) values ($1, $2, $3, $4, $5, $6)',
      [
        path.split('/').findLast(Boolean) ?? '',
        form.get('pine_id'),
        form.get('username_recip') ?? form.get('username') ?? query.get('s'),
        form.get('expiration'),
        status,
        outcome.slice(0, 200),
      ],
    )

  async function serve(incoming: IncomingMessage, response: ServerResponse) {
    const url = new URL(incoming.url ?? '/', 'http://look-alike')
    const request: Request = {
      method: incoming.method ?? 'GET',
      path: url.pathname,
      query: url.searchParams,
      form: new URLSearchParams(await readBody(incoming)),
      cookies: cookiesOf(incoming),
    }
    const send = async ({ status, body }: Answer, type = 'application/json') => {
      const text = typeof body === 'string' ? body : JSON.stringify(body)
      await note(request, status, text)
      response.writeHead(status, { 'content-type': type }).end(text)
    }
    if (request.path === '/username_hint/') await welcome(request.query.get('s') ?? '')

    const fault = await faultFor(request.path)
    if (fault === 'slow') await new Promise((done) => setTimeout(done, slowness).unref())
    const [instead, type] = insteadOf[fault] ?? []
    if (instead) return send(instead, type)
    const given = await answer(request)
    if (fault === 'drop') {
      await note(request, null, 'acted, then dropped the connection')
      return void incoming.socket.destroy()
    }
    if (fault === 'odd') return send({ status: 200, body: { status: 'scheduled' } })
    if (fault === 'broken') return send({ status: 200, body: JSON.stringify(given.body).slice(0, -2) })
    return send(given)
  }

  /** Creates a member for any looked-up username, except a prefix of an existing one, which counts as a typo. */
  async function welcome(name: string) {
    if (!/^[A-Za-z0-9_.-]{3,64}$/.test(name) || name.toLowerCase().startsWith('nobody')) return
    await database.query(
      `insert into sandbox.tradingview_users select $1::text
       where not exists (select from sandbox.tradingview_users where starts_with(lower(username), lower($1)))
         and not exists (select from sandbox.tradingview_former_names where name = lower($1)) on conflict do nothing`,
      [name],
    )
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      log('The TradingView look-alike failed to answer', { error: String(error) })
      response.destroy()
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })

  const controls = createTradingViewControls({ database, now })
  return {
    /** Where the shop's client finds it; reachable only from this machine. */
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    scripts,
    controls,
    /** Serves `/_sandbox/tradingview`; returns false, untouched, for anything else. */
    browser: createTradingViewPage({ database, controls, mayControl, now, log }),
    async close() {
      await new Promise((resolve) => {
        server.close(resolve)
        server.closeAllConnections()
      })
    },
  }
}

function cookiesOf({ headers }: IncomingMessage) {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim().split('='))
  return new Map(pairs.map(([name = '', ...value]) => [name, value.join('=')]))
}

/** Initial members of TradingView, one with a name that is easy to misspell. */
const known = ['ada_trades', 'TrendFollower', 'macd-maria', 'j.fuchs', 'QuietQuant', 'old_friend_of_mine']

const prepareTradingView = (database: pg.Pool) =>
  prepare(database, async (client) => {
    const { rowCount } = await client.query(
      'insert into sandbox.tradingview_settings (session_id, session_sign) values ($1, $2) on conflict do nothing',
      [randomText(32), `v3:${randomText(43)}`],
    )
    if (rowCount !== 1) return
    await client.query('insert into sandbox.tradingview_users select unnest($1::text[]) on conflict do nothing', [
      known,
    ])
    await client.query(
      `insert into sandbox.tradingview_scripts values ($1, 'Rebound Sigma Pro', 'ReboundSigma'),
         ($2, 'Rebound Sigma Pro Strategy', 'ReboundSigma'), ('PUB;00000000000000000000000000000000', 'Someone else’s script', 'SomeoneElse')`,
      [scripts.indicator, scripts.strategy],
    )
    // Unlocked by hand before the shop existed.
    await client.query(`insert into sandbox.tradingview_access (pine_id, username) values ($1, 'old_friend_of_mine')`, [
      scripts.indicator,
    ])
  })
