import type { IncomingMessage, ServerResponse } from 'node:http'
import type pg from 'pg'
import { readBody } from '../http.ts'
import { button, html, notFound, page, pressed, select, send, table } from '../pages/html.ts'
import { type Fault, faults, type TradingViewControls } from './controls.ts'

type Given = {
  database: pg.Pool
  controls: TradingViewControls
  mayControl: (request: IncomingMessage) => boolean | Promise<boolean>
  now: () => Promise<Date>
  log: (message: string, detail?: object) => void
}

const address = '/_sandbox/tradingview'
const moment = (date: Date) =>
  date.toLocaleString('en-US', { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' })

/** What someone at TradingView could do, and what TradingView has been seen to do by itself. */
const actions: Record<string, (controls: TradingViewControls, form: URLSearchParams) => Promise<unknown>> = {
  'end-session': (controls) => controls.endSession(),
  'log-in': (controls) => controls.logIn(),
  behave: (controls, form) => {
    const always = (form.get('fault') ?? 'none') as Fault
    if (!(always in faults)) throw new Error('There is no such fault')
    return controls.behave({ always, rate: Number(form.get('rate') ?? 1) })
  },
  'let-in': (controls, form) => controls.letIn(form.get('script') ?? '', form.get('username') ?? ''),
  'throw-out': (controls, form) => controls.throwOut(form.get('script') ?? '', form.get('username') ?? ''),
  rename: (controls, form) => controls.renameUser(form.get('username') ?? '', form.get('to') ?? ''),
  delete: (controls, form) => controls.deleteUser(form.get('username') ?? ''),
}

export function createTradingViewPage({ database, controls, mayControl, now, log }: Given) {
  async function show() {
    const { rows: settings } = await database.query<{
      is_logged_in: boolean
      faults: { always?: Fault; rate?: number }
    }>('select is_logged_in, faults from sandbox.tradingview_settings')
    const { rows: people } = await database.query<{
      script: string
      pine_id: string
      username: string
      expiration: Date | null
    }>(
      `select s.name as script, a.pine_id, username, expiration from sandbox.tradingview_access a
       join sandbox.tradingview_scripts s using (pine_id) order by a.created desc, username limit 50`,
    )
    const { rows: scripts } = await database.query<{ pine_id: string; name: string }>(
      'select pine_id, name from sandbox.tradingview_scripts order by name',
    )
    const { always, rate } = settings[0]?.faults ?? {}
    const body = html`<main>
    <h1>TradingView look-alike</h1>
    <p>Takes TradingView’s place while no Stripe key is set. It is ${moment(await now())} UTC. Every name is a member here: type any username in the shop. Only the beginning of an existing name (ada_trade) and names that start with “nobody” are unknown.</p>
    <h2>The seller’s session</h2>
    <p>${settings[0]?.is_logged_in ? 'Logged in as ReboundSigma.' : 'Logged out: the shop’s session has ended.'}</p>
    <p><code>${await controls.cookies()}</code></p>
    <div class="Actions">${button('tradingview/end-session', 'End the session')}${button('tradingview/log-in', 'Log in again (new cookies)')}</div>
    <h2>How it behaves</h2>
    <form method="post" action="${address}/behave" class="Actions">
      ${select('fault', 'TradingView', always, faults)}
      ${select('rate', 'to', String(rate), { 1: 'every call', 0.5: 'half of all calls' })}
      <button>Apply</button>
    </form>
    <h2>By the seller’s own hand</h2>
    <form method="post" action="${address}/let-in" class="Actions">
      <label>Let in <input name="username" required pattern="[A-Za-z0-9_.\\-]{3,64}"></label>
      ${select('script', 'to', undefined, Object.fromEntries(scripts.map(({ pine_id: id, name }) => [id, name])))}
      <button>Let in</button>
    </form>
    <form method="post" action="${address}/rename" class="Actions">
      <label>Rename <input name="username" required></label>
      <label>to <input name="to" required pattern="[A-Za-z0-9_.\\-]{3,64}"></label>
      <button>Rename</button>
    </form>
    ${table(
      'People with access',
      ['Username', 'Script', 'Until', 'Actions'],
      people.map(({ username, script, pine_id: id, expiration }) => [
        username,
        script,
        expiration ? moment(expiration) : 'no end',
        html`<div class="Actions">${button('tradingview/throw-out', 'Throw out', { script: id, username }, username)}${button('tradingview/delete', 'Delete the member', { username }, username)}</div>`,
      ]),
    )}
    ${table(
      'Calls',
      ['Time', 'Call', 'Username', 'Answer'],
      (await controls.calls())
        .slice(-50)
        .toReversed()
        .map(({ at, call, username, status, answer }) => [
          moment(at),
          call,
          username,
          `${status ?? ''} ${answer.slice(0, 80)}`,
        ]),
    )}
    <p>Each list shows the newest 50. <a href="/_sandbox/">Payment sandbox</a></p>
  </main>`
    return page({ title: 'TradingView look-alike', body }).text
  }

  async function serve(request: IncomingMessage, response: ServerResponse, path: string) {
    const action = actions[path.slice(address.length + 1)]
    if (!(await mayControl(request))) return notFound(response)
    if (request.method !== 'POST') return send(response, 200, 'text/html', await show())
    if (!action) return notFound(response)
    const act = async () => action(controls, new URLSearchParams(await readBody(request)))
    return pressed(request, response, { act, next: address })
  }

  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const url = request.url ?? ''
    if (!url.startsWith(address)) return false
    const [path = ''] = url.split('?')
    if (path !== address && !path.startsWith(`${address}/`)) return false
    serve(request, response, path).catch((error: unknown) => {
      log('The TradingView look-alike failed', { error: String(error) })
      if (!response.headersSent) response.writeHead(400, { 'content-type': 'text/plain' })
      response.end('That did not work.')
    })
    return true
  }
}
