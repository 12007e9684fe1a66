import type { IncomingMessage, ServerResponse } from 'node:http'
import type pg from 'pg'
import { readBody } from '../http.ts'
import { handleButton, html, moment, notFound, page, select, send, table } from '../pages/html.ts'
import { type Fault, faults, scripts, type TradingViewControls } from './controls.ts'

type PageDeps = {
  database: pg.Pool
  controls: TradingViewControls
  mayControl: (request: IncomingMessage) => boolean | Promise<boolean>
  now: () => Promise<Date>
  log: (message: string, detail?: object) => void
}

const pagePath = '/_sandbox/tradingview'

const choices: Record<string, string[] | undefined> = {
  TradingView: Object.values(faults),
  script: Object.keys(scripts),
}
type FormValues = Record<string, string>
type Action = { fields: string[]; act: (controls: TradingViewControls, values: FormValues) => Promise<unknown> }

const scriptOf = ({ script }: FormValues) => scripts[script as keyof typeof scripts]

const actions: Record<string, Action> = {
  'End the session': { fields: [], act: (controls) => controls.endSession() },
  'Log in again (new cookies)': { fields: [], act: (controls) => controls.logIn() },
  Behave: {
    fields: ['TradingView'],
    act: (controls, { TradingView: chosenFault }) => {
      const always = Object.entries(faults).find(([, text]) => text === chosenFault)?.[0] as Fault | undefined
      return controls.behave({ always: always ?? 'none' })
    },
  },
  'Grant access': {
    fields: ['username', 'script'],
    act: (controls, values) => controls.addByHand(scriptOf(values), values['username'] ?? ''),
  },
  'Remove access': {
    fields: ['username', 'script'],
    act: (controls, values) => controls.removeByHand(scriptOf(values), values['username'] ?? ''),
  },
  'Rename the member': {
    fields: ['username', 'to'],
    act: (controls, values) => controls.renameUser(values['username'] ?? '', values['to'] ?? ''),
  },
  'Delete the member': {
    fields: ['username'],
    act: (controls, values) => controls.deleteUser(values['username'] ?? ''),
  },
}

const renderForm = ([name, { fields }]: [string, Action]) =>
  html`<form method="post" action="${pagePath}" class="Actions">
    ${fields.map((field) => (choices[field] ? select(field, undefined, choices[field]) : html`<label>${field} <input name="${field}" required></label>`))}
    <button name="action" value="${name}">${name}</button>
  </form>`

export function createTradingViewPage({ database, controls, mayControl, now, log }: PageDeps) {
  async function renderPage() {
    const settingsResult = await database.query<{ is_logged_in: boolean; faults: { always?: Fault } }>(
      'select is_logged_in, faults from sandbox.tradingview_settings',
    )
    const [settings] = settingsResult.rows
    const { rows: people } = await database.query<{ script: string; username: string; until: Date | null }>(
      `select s.name as script, username, expiration as until from sandbox.tradingview_access a
       join sandbox.tradingview_scripts s using (pine_id) order by a.created desc, username limit 50`,
    )
    const calls = (await controls.calls()).slice(-50).toReversed()
    const body = html`<main>
    <h1>TradingView stand-in</h1>
    <p>Takes TradingView’s place while no Stripe key is set. It is ${moment(await now())} UTC. Every name is a member here: type any username in the shop. Only the beginning of an existing name (ada_trade) and names that start with “nobody” are unknown.</p>
    <p>The seller’s session ${settings?.is_logged_in ? 'is open' : 'has ended'}: <code>${await controls.cookies()}</code></p>
    <p>TradingView ${faults[settings?.faults.always ?? 'none']}.</p>
    ${Object.entries(actions).map(renderForm)}
    ${table(
      'People with access',
      ['Username', 'Script', 'Until'],
      people.map(({ username, script, until }) => [username, script, until ? moment(until) : 'no end']),
    )}
    ${table(
      'Calls',
      ['Time', 'Call', 'Username', 'Answer'],
      calls.map(({ at, call, username, status, answer }) => [
        moment(at),
        call,
        username,
        `${status ?? ''} ${answer.slice(0, 80)}`,
      ]),
    )}
    <p>Each list shows the newest 50. <a href="/_sandbox/">Payment sandbox</a></p>
  </main>`
    return page({ title: 'TradingView stand-in', body })
  }

  async function serve(request: IncomingMessage, response: ServerResponse) {
    if (!(await mayControl(request))) return notFound(response)
    if (request.method !== 'POST') return send(response, 200, 'text/html', await renderPage())
    const { action = '', ...values } = Object.fromEntries(new URLSearchParams(await readBody(request)))
    const act = async () => (Object.hasOwn(actions, action) ? actions[action]?.act(controls, values) : undefined)
    return handleButton(request, response, { act, nextPath: pagePath })
  }

  return (request: IncomingMessage, response: ServerResponse): boolean => {
    if (request.url?.split('?')[0] !== pagePath) return false
    serve(request, response).catch((error: unknown) => {
      log('The TradingView stand-in failed', { error: String(error) })
      response.destroy()
    })
    return true
  }
}
