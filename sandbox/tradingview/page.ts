import type { IncomingMessage, ServerResponse } from 'node:http'
import type pg from 'pg'
import { readBody } from '../http.ts'
import { button, html, notFound, page, pressed, send } from '../pages/html.ts'
import { type Fault, faults, type TradingViewControls } from './controls.ts'

type Given = {
  database: pg.Pool
  controls: TradingViewControls
  mayControl: (request: IncomingMessage) => boolean | Promise<boolean>
  now: () => Promise<Date>
  log: (message: string, detail?: object) => void
}

const address = '/_sandbox/tradingview'
const moment = (date: Date | null) =>
  date
    ? date.toLocaleString('en-US', { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' })
    : 'no end'

/** What someone at TradingView could do, and what TradingView has been seen to do by itself. */
const actions: Record<string, (controls: TradingViewControls, form: URLSearchParams) => Promise<unknown>> = {
  'end-session': (controls) => controls.endSession(),
  'log-in': (controls) => controls.logIn(),
  behave: (controls, form) => {
    const always = (form.get('fault') ?? 'none') as Fault
    if (!(always in faults)) throw new Error('There is no such fault')
    return controls.behave({ always, rate: form.get('often') === 'half' ? 0.5 : 1 })
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
    const { rows: calls } = await database.query<{
      at: Date
      call: string
      username: string | null
      status: number | null
      answer: string
    }>('select at, call, username, status, answer from sandbox.tradingview_calls order by id desc limit 50')
    const { rows: scripts } = await database.query<{ pine_id: string; name: string }>(
      'select pine_id, name from sandbox.tradingview_scripts order by name',
    )
    const isLoggedIn = settings[0]?.is_logged_in ?? true
    const given = settings[0]?.faults ?? {}
    return page({
      title: 'TradingView look-alike',
      body: html`<main>
    <h1>TradingView look-alike</h1>
    <p>Stands in for TradingView while no Stripe key is set. It is ${moment(await now())} UTC. Everybody is a member here: type any username in the shop. Only a slip of an existing name (ada_trads) and names that start with “nobody” are unknown.</p>
    <section>
      <h2>The seller’s session</h2>
      <p>${isLoggedIn ? 'Logged in as ReboundSigma.' : 'Logged out: the shop’s session has ended.'}</p>
      <p><code>${await controls.cookies()}</code></p>
      <div class="Actions">${button('tradingview/end-session', 'End the session')}${button('tradingview/log-in', 'Log in again (new cookies)')}</div>
    </section>
    <section>
      <h2>How it behaves</h2>
      <form method="post" action="${address}/behave" class="Actions">
        <label>TradingView <select name="fault">${Object.entries(faults).map(
          ([fault, text]) =>
            html`<option value="${fault}"${given.always === fault ? html` selected` : ''}>${text}</option>`,
        )}</select></label>
        <label>to <select name="often"><option value="all">every call</option><option value="half"${given.rate === 0.5 ? html` selected` : ''}>half of all calls</option></select></label>
        <button>Apply</button>
      </form>
    </section>
    <section>
      <h2>People with access</h2>
      <form method="post" action="${address}/let-in" class="Actions">
        <label>Let in by hand <input name="username" required pattern="[A-Za-z0-9_.\\-]{3,64}"></label>
        <label>to <select name="script">${scripts.map(({ pine_id: id, name }) => html`<option value="${id}">${name}</option>`)}</select></label>
        <button>Let in</button>
      </form>
      <form method="post" action="${address}/rename" class="Actions">
        <label>Rename <input name="username" required></label>
        <label>to <input name="to" required pattern="[A-Za-z0-9_.\\-]{3,64}"></label>
        <button>Rename</button>
      </form>
      <div class="Scroll" tabindex="0" role="region" aria-label="People with access"><table>
        <thead><tr><th>Username</th><th>Script</th><th>Until</th><th>Action</th></tr></thead>
        <tbody>${people.map(
          (row) => html`<tr><td>${row.username}</td><td>${row.script}</td><td>${moment(row.expiration)}</td>
          <td class="Actions">${button('tradingview/throw-out', 'Throw out', { script: row.pine_id, username: row.username })}${button('tradingview/delete', 'Delete the member', { username: row.username })}</td></tr>`,
        )}</tbody></table></div>
    </section>
    <section>
      <h2>Calls</h2>
      <div class="Scroll" tabindex="0" role="region" aria-label="Calls"><table>
        <thead><tr><th>Time</th><th>Call</th><th>Username</th><th>Answer</th></tr></thead>
        <tbody>${calls.map(
          (row) =>
            html`<tr><td>${moment(row.at)}</td><td>${row.call}</td><td>${row.username}</td><td>${row.status} ${row.answer.slice(0, 80)}</td></tr>`,
        )}</tbody></table></div>
    </section>
    <p>Each list shows the newest 50. <a href="/_sandbox/">Payment sandbox</a></p>
  </main>`,
    }).text
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
