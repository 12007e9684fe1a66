/** Why TradingView did not do what it was asked. */
export type FailureKind =
  /** The seller's session is over. */
  | 'session'
  /** This server's address is blocked. */
  | 'blocked'
  /** The script belongs to another account. */
  | 'not_yours'
  | 'no_such_script'
  | 'no_such_name'
  /** Too many requests, an outage, a timeout, half an answer: it passes. */
  | 'passing'
  /** The connection was paused or has ended since the work began: nothing was called. */
  | 'stopped'
  /** An answer that no one understands: the protocol may have changed. */
  | 'unknown'

export class TradingViewFailure extends Error {
  readonly kind: FailureKind
  readonly http: number | undefined
  /** The beginning of the answer, without cookies. */
  readonly excerpt: string | undefined

  constructor(kind: FailureKind, message: string, more: { http?: number; excerpt?: string } = {}) {
    super(message)
    this.kind = kind
    this.http = more.http
    this.excerpt = more.excerpt
  }
}

const aboutLogin = /authenticat|credential|log ?in|sign ?in|session/i

/** What an answer that is not the expected JSON means. */
export function failureOf(http: number, text: string, excerpt: string): TradingViewFailure {
  const fail = (kind: FailureKind, message: string) =>
    new TradingViewFailure(kind, message, { http, excerpt })
  const isPage = /^\s*</.test(text)
  const detail = detailOf(text)
  if (http === 401) return fail('session', 'TradingView no longer accepts the session.')
  if (text.includes('is-not-authenticated')) return fail('session', 'TradingView asks to log in.')
  if (http === 403 && !isPage)
    return aboutLogin.test(detail)
      ? fail('session', 'TradingView no longer accepts the session.')
      : fail('not_yours', 'TradingView says that the script belongs to another account.')
  if ((http === 403 || http === 400) && isPage)
    return fail('blocked', 'TradingView blocks this server’s address.')
  if (http === 404) return fail('no_such_script', 'TradingView does not know this script.')
  if (http === 422) return fail('no_such_name', 'TradingView does not know this name.')
  if (http === 429) return fail('passing', 'TradingView asks for a pause.')
  if (http >= 500) return fail('passing', 'TradingView has an outage.')
  // Maybe the login page, maybe a check for robots: the next question decides.
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
