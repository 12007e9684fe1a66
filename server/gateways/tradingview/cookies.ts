/** The two cookies of a session at TradingView. A password is never asked for. */
export type SessionCookies = { sessionid: string; sessionid_sign: string }

const longest = 4096

/** Takes a whole cookie line, as a browser shows it, and picks the two. */
export function readCookies(pasted: string): SessionCookies | { refusal: string } {
  if (pasted.length > longest) return { refusal: 'That is too long to be two cookies.' }
  if (/[\r\n]/.test(pasted.trim())) return { refusal: 'Please paste the cookies in one line.' }
  const pairs = new Map(
    pasted
      .trim()
      .replace(/^cookie:/i, '')
      .split(';')
      .map((pair) => pair.trim().split('='))
      .map(([name = '', ...value]) => [name, value.join('=').replaceAll(/^"|"$/g, '')]),
  )
  const [sessionid, sign] = [pairs.get('sessionid'), pairs.get('sessionid_sign')]
  if (!sessionid || !sign) return { refusal: 'We need both cookies: sessionid=…; sessionid_sign=…' }
  // Anything else could smuggle a second header or cookie into our requests.
  if (![sessionid, sign].every((value) => /^[\w.:+/=%-]+$/.test(value)))
    return { refusal: 'These cookies contain characters that TradingView’s never do.' }
  return { sessionid, sessionid_sign: sign }
}

export const cookieLine = ({ sessionid, sessionid_sign: sign }: SessionCookies) =>
  `sessionid=${sessionid}; sessionid_sign=${sign}`
