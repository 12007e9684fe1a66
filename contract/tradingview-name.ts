const maxUsernameLength = 64

export type ParsedUsername = { username: string } | { refusal: string }

const linkToProfile = /^(?:https?:\/\/)?(?:[a-z0-9-]+\.)?tradingview\.com\/u\/([^/?#]+)/i
/** Zero-width and direction marks, which can be copied along with a name. */
const invisibleMarks = /[\u00AD\u200B-\u200F\u202A-\u202E\u2060-\u2064\uFEFF]/g

export function parseUsername(typed: string): ParsedUsername {
  // NFKC turns full-width letters into ordinary ones.
  const text = typed.normalize('NFKC').replaceAll(invisibleMarks, '').trim()
  const name = (linkToProfile.exec(text)?.[1] ?? text).replace(/^@/, '')
  if (name === '') return { refusal: 'TradingView username is required' }
  if (name.includes('@')) return { refusal: 'That is an email address. We need the name on your TradingView profile.' }
  if (/\s/.test(name))
    return { refusal: 'A TradingView username has no spaces. You’ll find it on your TradingView profile.' }
  if (name.length > maxUsernameLength) return { refusal: `Please use at most ${maxUsernameLength} characters` }
  if (!/^[A-Za-z0-9_.-]+$/.test(name)) return { refusal: 'A TradingView username has only letters, digits and _ . -' }
  return { username: name }
}

/** Rate limit for each account. It is low, because a refusal reveals that a username belongs to another customer. */
export const usernameRateLimit = { requests: 20, seconds: 86_400 }

export const nameTakenMessage = 'This TradingView account already belongs to another customer.'

/** Key for comparisons; TradingView ignores the case of usernames. */
export const normalizeUsername = (username: string) => username.toLowerCase()
