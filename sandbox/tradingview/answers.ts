import type pg from 'pg'

export type Request = {
  method: string
  path: string
  query: URLSearchParams
  form: URLSearchParams
  cookies: Map<string, string>
}
export type Answer = { status: number; body: unknown }

const json = (body: unknown, status = 200): Answer => ({ status, body })

type Settings = { session_id: string; session_sign: string; is_logged_in: boolean; account: string }

/** Messages of Django REST framework, as recorded by public connectors. */
const notLoggedIn = json({ detail: 'Authentication credentials were not provided.' }, 403)
const notFound = json({ detail: 'Not found.' }, 404)
const notOwner = json({ detail: 'You are not the owner of this script.' }, 403)

/** Imitates TradingView's "Manage access" dialog, as known from public code. */
export function createAnswers({ database, now }: AnswerDeps) {
  const list = createAccessList({ database, now })

  async function hint({ query }: Request): Promise<Answer> {
    const prefix = (query.get('s') ?? '').slice(0, 64)
    if (prefix.length < 2) return json([])
    const { rows } = await database.query<{ username: string }>(
      `select username from sandbox.tradingview_users where starts_with(lower(username), lower($1))
       order by length(username), username limit 10`,
      [prefix],
    )
    return json(rows.map(({ username }) => ({ username, id: 0, badges: [] })))
  }

  async function accountOf({ cookies }: Request): Promise<string | undefined> {
    const { rows } = await database.query<Settings>('select * from sandbox.tradingview_settings')
    const [settings] = rows
    const isLoggedIn =
      settings?.is_logged_in &&
      cookies.get('sessionid') === settings.session_id &&
      cookies.get('sessionid_sign') === settings.session_sign
    return isLoggedIn ? settings.account : undefined
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
    await list.removeExpired()
    const route = `${request.method} ${request.path}`
    if (route === 'GET /username_hint/') return hint(request)
    const account = await accountOf(request)
    if (account === undefined) return notLoggedIn
    if (route === 'GET /tvcoins/details/') return json({ coins: 0, username: account })
    if (route === 'GET /pine_perm/list_scripts/') return scriptsOf(account)
    if (route === 'POST /pubscripts-get/') return namesOfScripts(request)

    const handle = list.handlers[route]
    const owner = handle && (await ownerOf(request))
    if (!handle || owner === undefined) return notFound
    return owner === account ? handle(request) : notOwner
  }
}

type AccessRow = { id: string; username: string; expiration: Date | null; created: Date }
type AnswerDeps = { database: pg.Pool; now: () => Promise<Date> }

const pageSize = 20
const maxPageSize = 30

const noSuchUser = json({ code: 'user_not_found', detail: 'User does not exist.' }, 422)
const wrongExpiration = json({ detail: 'Wrong expiration' }, 400)

/** Format of TradingView's dates, such as `2022-11-30T23:59:59.999000+00:00`. */
const withMicroseconds = (date: Date) => date.toISOString().replace('Z', '000+00:00')

function createAccessList({ database, now }: AnswerDeps) {
  const bumpChangeCount = () => database.query('update sandbox.tradingview_settings set changes = changes + 1')

  /** Format: `offset:changes` in base64. Undefined if a list has changed since the cursor was issued. */
  async function readCursor(cursor: string | null): Promise<{ offset: number; changes: string } | undefined> {
    const { rows } = await database.query<{ changes: string }>('select changes from sandbox.tradingview_settings')
    const changes = rows[0]?.changes ?? '0'
    if (!cursor) return { offset: 0, changes }
    const [offset, issuedChanges] = Buffer.from(cursor, 'base64url').toString().split(':')
    return issuedChanges === changes ? { offset: Number(offset), changes } : undefined
  }

  async function list({ query, form }: Request): Promise<Answer> {
    const limit = Number(query.get('limit') ?? pageSize)
    if (!(limit >= 1 && limit <= maxPageSize)) return json({ detail: 'bad_pagination_request' }, 400)
    const start = await readCursor(query.get('c'))
    if (!start) return json({ detail: 'Invalid cursor' }, 404)
    const { rows } = await database.query<AccessRow>(
      `select * from sandbox.tradingview_access where pine_id = $1 and ($2::text is null or username = $2)
       order by created desc, id desc limit $3 offset $4`,
      [form.get('pine_id'), form.get('username'), limit + 1, start.offset],
    )
    const cursor = Buffer.from(`${start.offset + limit}:${start.changes}`).toString('base64url')
    return json({
      results: rows.slice(0, limit).map(userJson),
      next: rows.length > limit ? `/pine_perm/list_users/?limit=${limit}&order_by=-created&c=${cursor}` : null,
    })
  }

  /** Null if no member is spelled exactly so. */
  async function findRecipient(form: URLSearchParams) {
    const { rows } = await database.query('select 1 from sandbox.tradingview_users where username = $1', [
      form.get('username_recip'),
    ])
    return rows.length > 0 ? form.get('username_recip') : null
  }

  async function add({ form }: Request): Promise<Answer> {
    const username = await findRecipient(form)
    const expiration = expirationOf(form)
    if (!username) return noSuchUser
    if (expiration === undefined) return wrongExpiration
    const { rowCount } = await database.query(
      `insert into sandbox.tradingview_access (pine_id, username, expiration, created) values ($1, $2, $3, $4)
       on conflict do nothing`,
      [form.get('pine_id'), username, expiration, await now()],
    )
    // TradingView does not change the expiry of existing access here.
    if (rowCount === 0) return json({ status: 'exists' })
    await bumpChangeCount()
    return json({ status: 'ok' }, 201)
  }

  async function modify({ form }: Request): Promise<Answer> {
    const expiration = expirationOf(form)
    if (!(await findRecipient(form))) return noSuchUser
    if (expiration === undefined) return wrongExpiration
    const { rowCount } = await database.query(
      'update sandbox.tradingview_access set expiration = $3 where pine_id = $1 and username = $2',
      [form.get('pine_id'), form.get('username_recip'), expiration],
    )
    await bumpChangeCount()
    return json({ status: rowCount ? 'ok' : 'not_exists' })
  }

  async function remove({ form }: Request): Promise<Answer> {
    const { rowCount } = await database.query(
      'delete from sandbox.tradingview_access where pine_id = $1 and username = $2',
      [form.get('pine_id'), form.get('username_recip')],
    )
    await bumpChangeCount()
    return json({ status: rowCount ? 'ok' : 'not_exists' })
  }

  return {
    /** Removes expired entries, which TradingView does not list. */
    async removeExpired() {
      const { rowCount } = await database.query('delete from sandbox.tradingview_access where expiration < $1', [
        await now(),
      ])
      if (rowCount) await bumpChangeCount()
    },

    handlers: {
      'POST /pine_perm/list_users/': list,
      'POST /pine_perm/add/': add,
      'POST /pine_perm/modify_user_expiration/': modify,
      'POST /pine_perm/remove/': remove,
    } as Record<string, (request: Request) => Promise<Answer>>,
  }
}

/** Null without an expiration; undefined if it is not a date. */
function expirationOf(form: URLSearchParams): Date | null | undefined {
  const text = form.get('expiration')
  if (!text) return null
  return Number.isNaN(Date.parse(text)) ? undefined : new Date(text)
}

/** Without an end, `expiration` is left out. */
const userJson = ({ id, username, expiration, created }: AccessRow) => ({
  id: Number(id),
  username,
  userpic: null,
  expiration: expiration ? withMicroseconds(expiration) : undefined,
  created: withMicroseconds(created),
})
