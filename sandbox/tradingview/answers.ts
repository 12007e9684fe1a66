import type pg from 'pg'
import { createAccessList } from './access-list.ts'
import { type Answer, json, type Request } from './answer.ts'

type Settings = {
  session_id: string
  session_sign: string
  is_logged_in: boolean
  account: string
}

/** Django REST framework's words, as the public connectors have recorded them. */
const notLoggedIn = json({ detail: 'Authentication credentials were not provided.' }, 403)
const notFound = json({ detail: 'Not found.' }, 404)
const notOwner = json({ detail: 'You are not the owner of this script.' }, 403)

/** What TradingView's "Manage access" dialog is told, as public code has it. */
export function createAnswers({ database, now }: { database: pg.Pool; now: () => Promise<Date> }) {
  const list = createAccessList({ database, now })

  async function hint({ query }: Request): Promise<Answer> {
    const wanted = (query.get('s') ?? '').slice(0, 64)
    if (wanted.length < 2) return json([])
    const { rows } = await database.query<{ username: string }>(
      `select username from sandbox.tradingview_users where starts_with(lower(username), lower($1))
       order by length(username), username limit 10`,
      [wanted],
    )
    return json(rows.map(({ username }) => ({ username, id: 0, badges: [] })))
  }

  /** The account that this session belongs to. */
  async function accountOf({ cookies }: Request): Promise<string | undefined> {
    const { rows } = await database.query<Settings>('select * from sandbox.tradingview_settings')
    const [settings] = rows
    const isOwner =
      settings?.is_logged_in &&
      cookies.get('sessionid') === settings.session_id &&
      cookies.get('sessionid_sign') === settings.session_sign
    return isOwner ? settings.account : undefined
  }

  async function scriptsOf(account: string): Promise<Answer> {
    const { rows } = await database.query<{ pine_id: string }>(
      'select pine_id from sandbox.tradingview_scripts where owner = $1 order by pine_id',
      [account],
    )
    return json(rows.map(({ pine_id: pineId }) => pineId))
  }

  async function namesOfScripts({ form }: Request): Promise<Answer> {
    const { rows } = await database.query<{ pine_id: string; name: string }>(
      'select pine_id, name from sandbox.tradingview_scripts where pine_id = any($1) order by pine_id',
      [(form.get('scriptIdPart') ?? '').split(',')],
    )
    return json(rows.map(({ pine_id: scriptIdPart, name: scriptName }) => ({ scriptIdPart, scriptName })))
  }

  async function ownerOf({ form }: Request): Promise<string | undefined> {
    const { rows } = await database.query<{ owner: string }>(
      'select owner from sandbox.tradingview_scripts where pine_id = $1',
      [form.get('pine_id')],
    )
    return rows[0]?.owner
  }

  return async function answer(request: Request): Promise<Answer> {
    await list.forgetExpired()
    const place = `${request.method} ${request.path}`
    if (place === 'GET /username_hint/') return hint(request)
    const account = await accountOf(request)
    if (account === undefined) return notLoggedIn
    if (place === 'GET /tvcoins/details/') return json({ coins: 0, username: account })
    if (place === 'GET /pine_perm/list_scripts/') return scriptsOf(account)
    if (place === 'POST /pubscripts-get/') return namesOfScripts(request)
    const act = list.calls[place]
    const owner = act && (await ownerOf(request))
    if (!act || owner === undefined) return notFound
    return owner === account ? act(request) : notOwner
  }
}
