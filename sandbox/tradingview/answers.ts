import type pg from 'pg'

export type Request = {
  method: string
  path: string
  query: URLSearchParams
  form: URLSearchParams
  cookies: Map<string, string>
}
export type Answer = { status: number; body: unknown }
type Settings = {
  session_id: string
  session_sign: string
  is_logged_in: boolean
  account: string
  changes: string
}
type Row = { id: string; username: string; expiration: Date | null; created: Date }

const pageSize = 20
const longestPage = 30

const json = (body: unknown, status = 200): Answer => ({ status, body })
/** Django REST framework's words, as the public connectors have recorded them. */
const notLoggedIn = json({ detail: 'Authentication credentials were not provided.' }, 403)
const notFound = json({ detail: 'Not found.' }, 404)
const notOwner = json({ detail: 'You are not the owner of this script.' }, 403)
const noSuchUser = json({ code: 'user_not_found', detail: 'User does not exist.' }, 422)

/** `2022-11-30T23:59:59.999000+00:00` */
const withMicroseconds = (date: Date) => date.toISOString().replace('Z', '000+00:00')

/** What TradingView's "Manage access" dialog is told, as public code has it. */
export function createAnswers({ database, now }: { database: pg.Pool; now: () => Promise<Date> }) {
  const settings = async () =>
    (await database.query<Settings>('select * from sandbox.tradingview_settings')).rows[0] as Settings

  /** Whoever has expired is no longer listed. */
  async function forgetExpired() {
    const { rowCount } = await database.query(
      'delete from sandbox.tradingview_access where expiration < $1',
      [await now()],
    )
    if (rowCount) await changed()
  }

  const changed = () => database.query('update sandbox.tradingview_settings set changes = changes + 1')

  async function listUsers({ query, form }: Request): Promise<Answer> {
    const limit = Number(query.get('limit') ?? pageSize)
    if (!(limit >= 1 && limit <= longestPage)) return json({ detail: 'bad_pagination_request' }, 400)
    const { changes } = await settings()
    const [at = '0', of = changes] = Buffer.from(query.get('c') ?? '', 'base64url')
      .toString()
      .split(':')
      .filter(Boolean)
    if (of !== changes) return json({ detail: 'Invalid cursor' }, 404)
    const username = form.get('username')
    const { rows } = await database.query<Row>(
      `select * from sandbox.tradingview_access where pine_id = $1 and ($2::text is null or username = $2)
       order by created desc, id desc limit $3 offset $4`,
      [form.get('pine_id'), username, limit + 1, Number(at)],
    )
    const cursor = Buffer.from(`${Number(at) + limit}:${changes}`).toString('base64url')
    return json({
      results: rows.slice(0, limit).map((row) => ({
        id: Number(row.id),
        username: row.username,
        userpic: null,
        ...(row.expiration ? { expiration: withMicroseconds(row.expiration) } : {}),
        created: withMicroseconds(row.created),
      })),
      next:
        rows.length > limit ? `/pine_perm/list_users/?limit=${limit}&order_by=-created&c=${cursor}` : null,
    })
  }

  /** Unlike the search, granting wants the exact spelling. */
  async function recipient(form: URLSearchParams) {
    const { rows } = await database.query('select 1 from sandbox.tradingview_users where username = $1', [
      form.get('username_recip'),
    ])
    return rows.length > 0 ? form.get('username_recip') : null
  }

  function expirationOf(form: URLSearchParams): Date | null | undefined {
    const given = form.get('expiration')
    if (!given) return null
    return Number.isNaN(Date.parse(given)) ? undefined : new Date(given)
  }

  async function add({ form }: Request): Promise<Answer> {
    const [username, expiration] = [await recipient(form), expirationOf(form)]
    if (!username) return noSuchUser
    if (expiration === undefined) return json({ detail: 'Wrong expiration' }, 400)
    const { rowCount } = await database.query(
      `insert into sandbox.tradingview_access (pine_id, username, expiration, created) values ($1, $2, $3, $4)
       on conflict do nothing`,
      [form.get('pine_id'), username, expiration, await now()],
    )
    // The expiry stays as it is, however the request reads.
    if (rowCount === 0) return json({ status: 'exists' })
    await changed()
    return json({ status: 'ok' }, 201)
  }

  async function modify({ form }: Request): Promise<Answer> {
    const expiration = expirationOf(form)
    if (!(await recipient(form))) return noSuchUser
    if (expiration === undefined) return json({ detail: 'Wrong expiration' }, 400)
    const { rowCount } = await database.query(
      'update sandbox.tradingview_access set expiration = $3 where pine_id = $1 and username = $2',
      [form.get('pine_id'), form.get('username_recip'), expiration],
    )
    await changed()
    return json({ status: rowCount ? 'ok' : 'not_exists' })
  }

  async function remove({ form }: Request): Promise<Answer> {
    const { rowCount } = await database.query(
      'delete from sandbox.tradingview_access where pine_id = $1 and username = $2',
      [form.get('pine_id'), form.get('username_recip')],
    )
    await changed()
    return json({ status: rowCount ? 'ok' : 'not_exists' })
  }

  const ofScript: Record<string, (request: Request) => Promise<Answer>> = {
    'POST /pine_perm/list_users/': listUsers,
    'POST /pine_perm/add/': add,
    'POST /pine_perm/modify_user_expiration/': modify,
    'POST /pine_perm/remove/': remove,
  }

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

  return async function answer(request: Request): Promise<Answer> {
    await forgetExpired()
    const place = `${request.method} ${request.path}`
    if (place === 'GET /username_hint/') return hint(request)
    const { session_id: id, session_sign: sign, is_logged_in: isLoggedIn, account } = await settings()
    const isOwner =
      isLoggedIn && request.cookies.get('sessionid') === id && request.cookies.get('sessionid_sign') === sign
    if (!isOwner) return notLoggedIn
    if (place === 'GET /tvcoins/details/') return json({ coins: 0, username: account })
    if (place === 'GET /pine_perm/list_scripts/') {
      const { rows } = await database.query<{ pine_id: string }>(
        'select pine_id from sandbox.tradingview_scripts where owner = $1 order by pine_id',
        [account],
      )
      return json(rows.map(({ pine_id: pineId }) => pineId))
    }
    if (place === 'POST /pubscripts-get/') {
      const ids = (request.form.get('scriptIdPart') ?? '').split(',')
      const { rows } = await database.query<{ pine_id: string; name: string }>(
        'select pine_id, name from sandbox.tradingview_scripts where pine_id = any($1) order by pine_id',
        [ids],
      )
      return json(rows.map(({ pine_id: scriptIdPart, name: scriptName }) => ({ scriptIdPart, scriptName })))
    }
    const act = ofScript[place]
    if (!act) return notFound
    const { rows } = await database.query<{ owner: string }>(
      'select owner from sandbox.tradingview_scripts where pine_id = $1',
      [request.form.get('pine_id')],
    )
    if (!rows[0]) return notFound
    return rows[0].owner === account ? act(request) : notOwner
  }
}
