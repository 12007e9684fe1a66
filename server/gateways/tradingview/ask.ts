export type CallReport = {
  call: string
  pineId?: string | undefined
  username?: string | undefined
  outcome: string
  http?: number | undefined
  milliseconds: number
  excerpt?: string | undefined
}

export type AskOptions = {
  /** Origin of TradingView, such as `https://www.tradingview.com`. */
  address: string
  cookies: SessionCookies | undefined
  /** Resolves when the next call may be made; throws if none may be made anymore. */
  turn(): Promise<void>
  report(call: CallReport): void
  timeoutMs?: number
}

type Question = { call: string; method?: 'GET' | 'POST'; path: string; form?: Record<string, string> }

export type Ask = ReturnType<typeof createAsk>

/** Calls TradingView like its own page does. */
export function createAsk({ address, cookies, turn, report, timeoutMs = 10_000 }: AskOptions) {
  const headers = {
    ...(cookies ? { cookie: cookieLine(cookies) } : {}),
    origin: address,
    referer: `${address}/`,
    'x-requested-with': 'XMLHttpRequest',
    'x-language': 'en',
    'user-agent': 'Mozilla/5.0 (X11; Linux x64; rv:140.0) Gecko/20100101 Firefox/140.0',
    accept: 'application/json',
  }

  function excerptWithoutCookies(text: string) {
    let cleaned = text
    for (const secret of Object.values(cookies ?? {})) cleaned = cleaned.replaceAll(secret, '…')
    return cleaned.slice(0, 500)
  }

  async function send({ method = 'POST', path, form }: Question) {
    const response = await fetch(new URL(path, address), {
      method,
      headers,
      ...(form ? { body: new URLSearchParams(form) } : {}),
      // A redirect to another host would reveal the cookies to it.
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    })
    const text = await response.text()
    const excerpt = excerptWithoutCookies(text)
    if (!response.ok) throw failureOf(response.status, text, excerpt)
    return { http: response.status, answer: parseAnswer(text, response.status, excerpt) }
  }

  return async function ask<Answer>(question: Question): Promise<Answer> {
    await turn()
    const startedAt = performance.now()
    const { call, form } = question
    const subject = { call, pineId: form?.pine_id, username: form?.username_recip ?? form?.username }
    const reportOutcome = (outcome: string, http: number | undefined, excerpt?: string) =>
      report({ ...subject, outcome, http, excerpt, milliseconds: Math.round(performance.now() - startedAt) })
    try {
      const { http, answer } = await send(question)
      reportOutcome('ok', http)
      return answer as Answer
    } catch (error) {
      const failure =
        error instanceof TradingViewFailure ? error : new TradingViewFailure('passing', 'TradingView did not answer.')
      reportOutcome(failure.kind, failure.http, failure.excerpt)
      throw failure
    }
  }
}

function parseAnswer(text: string, http: number, excerpt: string): unknown {
  if (/^\s*</.test(text)) throw failureOf(http, text, excerpt)
  try {
    return JSON.parse(text)
  } catch {
    throw new TradingViewFailure('passing', 'TradingView’s answer broke off.', { http, excerpt })
  }
}

export type SessionCookies = { sessionid: string; sessionid_sign: string }

const maxPastedLength = 4096

export function readCookies(pasted: string): SessionCookies | { refusal: string } {
  if (pasted.length > maxPastedLength) return { refusal: 'That is too long to be two cookies.' }
  if (/[\r\n]/.test(pasted.trim())) return { refusal: 'Please paste the cookies in one line.' }
  const header = pasted.trim().replace(/^cookie:/i, '')
  const cookies = new Map<string, string>()
  for (const pair of header.split(';')) {
    const [, name = '', value = ''] = /^([^=]*)=?(.*)$/s.exec(pair.trim()) ?? []
    cookies.set(name, value.replaceAll(/^"|"$/g, ''))
  }
  const sessionid = cookies.get('sessionid')
  const sign = cookies.get('sessionid_sign')
  if (!sessionid || !sign) return { refusal: 'We need both cookies: sessionid=…; sessionid_sign=…' }
  // Other characters could add a second header or cookie to our requests.
  if (![sessionid, sign].every((value) => /^[\w.:+/=%-]+$/.test(value)))
    return { refusal: 'These cookies contain characters that TradingView’s never do.' }
  return { sessionid, sessionid_sign: sign }
}

export const cookieLine = ({ sessionid, sessionid_sign: sign }: SessionCookies) =>
  `sessionid=${sessionid}; sessionid_sign=${sign}`

type FailureKind =
  | 'session'
  | 'blocked'
  /** The script belongs to another account. */
  | 'not_yours'
  | 'no_such_script'
  | 'no_such_name'
  /** Temporary: too many requests, an outage, a timeout or half an answer. */
  | 'passing'
  /** The connection was paused or ended before the call, so nothing was called. */
  | 'stopped'
  /** Answer of an unknown form: the protocol may have changed. */
  | 'unknown'

export class TradingViewFailure extends Error {
  readonly kind: FailureKind
  readonly http: number | undefined
  /** The beginning of the answer, without cookies. */
  readonly excerpt: string | undefined

  constructor(kind: FailureKind, message: string, details: { http?: number; excerpt?: string } = {}) {
    super(message)
    this.kind = kind
    this.http = details.http
    this.excerpt = details.excerpt
  }
}

const aboutLogin = /authenticat|credential|log ?in|sign ?in|session/i

function failureOf(http: number, text: string, excerpt: string): TradingViewFailure {
  const fail = (kind: FailureKind, message: string) => new TradingViewFailure(kind, message, { http, excerpt })
  const isPage = /^\s*</.test(text)
  const detail = detailOf(text)
  if (http === 401) return fail('session', 'TradingView no longer accepts the session.')
  if (text.includes('is-not-authenticated')) return fail('session', 'TradingView asks to log in.')
  if (http === 403 && !isPage)
    return aboutLogin.test(detail)
      ? fail('session', 'TradingView no longer accepts the session.')
      : fail('not_yours', 'TradingView says that the script belongs to another account.')
  if ((http === 403 || http === 400) && isPage) return fail('blocked', 'TradingView blocks this server’s address.')
  if (http === 404) return fail('no_such_script', 'TradingView does not know this script.')
  if (http === 422) return fail('no_such_name', 'TradingView does not know this name.')
  if (http === 429) return fail('passing', 'TradingView asks for a pause.')
  if (http >= 500) return fail('passing', 'TradingView has an outage.')
  // May be the login page or a check for robots; both count as an expired session until the next call.
  if (http === 200 && isPage) return fail('session', 'TradingView shows a page instead of an answer.')
  return fail('unknown', 'TradingView gave an answer that we do not understand.')
}

function detailOf(text: string): string {
  try {
    const { detail } = JSON.parse(text) as { detail?: unknown }
    return typeof detail === 'string' ? detail : ''
  } catch {
    return ''
  }
}
