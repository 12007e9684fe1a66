const longestUsername = 64

export type ReadName = { username: string } | { refusal: string }

const linkToProfile = /^(?:https?:\/\/)?(?:[a-z0-9-]+\.)?tradingview\.com\/u\/([^/?#]+)/i
/** Zero-width and direction marks, which come along when copying. */
const invisible = /[\u00AD\u200B-\u200F\u202A-\u202E\u2060-\u2064\uFEFF]/g

export function readUsername(typed: string): ReadName {
  // NFKC turns full-width letters into ordinary ones.
  const text = typed.normalize('NFKC').replaceAll(invisible, '').trim()
  const name = (linkToProfile.exec(text)?.[1] ?? text).replace(/^@/, '')
  if (name === '') return { refusal: 'TradingView username is required' }
  if (name.includes('@')) return { refusal: 'That is an email address. We need the name on your TradingView profile.' }
  if (/\s/.test(name))
    return { refusal: 'A TradingView username has no spaces. You’ll find it on your TradingView profile.' }
  if (name.length > longestUsername) return { refusal: `Please use at most ${longestUsername} characters` }
  if (!/^[A-Za-z0-9_.-]+$/.test(name)) return { refusal: 'A TradingView username has only letters, digits and _ . -' }
  return { username: name }
}

/** Few, because the answer tells whether a name is a customer’s: a buyer must hear why theirs is refused. */
export const namesPerDay = { requests: 20, seconds: 86_400 }

export const nameTaken = 'This TradingView account already belongs to another customer.'

/** For comparing: TradingView ignores case when it looks for a name. */
export const keyOfName = (username: string) => username.toLowerCase()
