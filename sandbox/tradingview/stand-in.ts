import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type pg from 'pg'
import { randomText } from '../basics.ts'
import { readBody } from '../http.ts'
import { prepareTables } from '../schema.ts'
import { type Answer, createAnswers, type Request } from './answers.ts'
import { createTradingViewControls, type Fault, type Faults, scripts } from './controls.ts'
import { createTradingViewPage } from './page.ts'

export type StandInOptions = {
  database: pg.Pool
  now: () => Promise<Date>
  mayControl: (request: IncomingMessage) => boolean | Promise<boolean>
  log: (message: string, detail?: object) => void
}

export type TradingViewStandIn = Awaited<ReturnType<typeof openTradingViewStandIn>>

const slowResponseMs = 15_000
/** These faults do not process the request. JSON unless a content type is given. */
const fixedResponses: Partial<Record<Fault, [answer: Answer, type?: string]>> = {
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

/** Any number of processes may open it on one database. */
export async function openTradingViewStandIn({ database, now, mayControl, log }: StandInOptions) {
  await prepareTradingView(database)
  const answer = createAnswers({ database, now })

  async function takeFault(call: string): Promise<Fault> {
    const { rows } = await database.query<{ faults: Faults }>('select faults from sandbox.tradingview_settings')
    const { always = 'none', rate = 1, next = [], on } = rows[0]?.faults ?? {}
    if (on !== undefined && !call.includes(on)) return 'none'
    const [queuedFault, ...laterFaults] = next
    if (queuedFault === undefined) return Math.random() < rate ? always : 'none'
    await database.query(`update sandbox.tradingview_settings set faults = jsonb_set(faults, '{next}', $1)`, [
      JSON.stringify(laterFaults),
    ])
    return queuedFault
  }

  const logCall = ({ path, form, query }: Request, status: number | null, outcome: string) =>
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
    const url = new URL(incoming.url ?? '/', 'http://stand-in')
    const request: Request = {
      method: incoming.method ?? 'GET',
      path: url.pathname,
      query: url.searchParams,
      form: new URLSearchParams(await readBody(incoming)),
      cookies: cookiesOf(incoming),
    }
    const send = async ({ status, body }: Answer, type = 'application/json') => {
      const text = typeof body === 'string' ? body : JSON.stringify(body)
      await logCall(request, status, text)
      response.writeHead(status, { 'content-type': type }).end(text)
    }
    if (request.path === '/username_hint/') await addMember(request.query.get('s') ?? '')

    const fault = await takeFault(request.path)
    if (fault === 'slow') await new Promise((done) => setTimeout(done, slowResponseMs).unref())
    const [fixedResponse, type] = fixedResponses[fault] ?? []
    if (fixedResponse) return send(fixedResponse, type)

    const result = await answer(request)
    if (fault === 'drop') {
      await logCall(request, null, 'acted, then dropped the connection')
      return void incoming.socket.destroy()
    }
    if (fault === 'odd') return send({ status: 200, body: { status: 'scheduled' } })
    if (fault === 'broken') return send({ status: 200, body: JSON.stringify(result.body).slice(0, -2) })
    return send(result)
  }

  /** Lets trials work with any username. A prefix of an existing name counts as a typo. */
  async function addMember(name: string) {
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
      log('The TradingView stand-in failed to answer', { error: String(error) })
      response.destroy()
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })

  const controls = createTradingViewControls({ database, now })
  return {
    /** Base URL for the shop's client; reachable only from this machine. */
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    scripts,
    controls,
    /** Serves `/_sandbox/tradingview`; returns false for other paths, without touching the response. */
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

const initialMembers = ['ada_trades', 'TrendFollower', 'macd-maria', 'j.fuchs', 'QuietQuant', 'old_friend_of_mine']

const prepareTradingView = (database: pg.Pool) =>
  prepareTables(database, async (client) => {
    const { rowCount } = await client.query(
      'insert into sandbox.tradingview_settings (session_id, session_sign) values ($1, $2) on conflict do nothing',
      [randomText(32), `v3:${randomText(43)}`],
    )
    if (rowCount !== 1) return
    await client.query('insert into sandbox.tradingview_users select unnest($1::text[]) on conflict do nothing', [
      initialMembers,
    ])
    await client.query(
      `insert into sandbox.tradingview_scripts values ($1, 'Rebound Sigma Pro', 'ReboundSigma'),
         ($2, 'Rebound Sigma Pro Strategy', 'ReboundSigma'), ('PUB;00000000000000000000000000000000', 'Someone else’s script', 'SomeoneElse')`,
      [scripts.indicator, scripts.strategy],
    )
    // Access that the seller gave by hand before connecting the shop.
    await client.query(`insert into sandbox.tradingview_access (pine_id, username) values ($1, 'old_friend_of_mine')`, [
      scripts.indicator,
    ])
  })
