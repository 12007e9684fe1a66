import * as z from 'zod/mini'
import { isOneLine, line, optionalLine } from './fields.ts'

/** The full stop, and its forms in Asian scripts, which browsers also read as dots in an address. */
const dot = '[.。．｡]'
/** Short form before a dot: an initial, a title, or an abbreviation like St or Md. */
const shortForm = /(?:^|[^\p{L}\p{N}])(?:\p{L}{1,3}|\p{N}|prof|dipl)$/iu
/** Common top-level domains; hardly any name begins with one of these words. */
const commonDomain =
  /^(?:com|net|org|info|biz|xyz|top|app|dev|shop|online|site|live|link|click|page|club|store|pro|vip|mobi|edu|gov|one|fun|icu|bio|space|website|tech|blog|cloud|world|life|today|news|email|zone|wiki|ink|bet|win|bid|loan|work|example)(?!\p{L})/iu

/** True for text that email clients turn into links, except names (St.John, A.J.). Takes linear time. */
export function looksLikeLink(typed: string): boolean {
  if (/:\/\/|@|\bwww\b|\\\\|\d{1,3}(?:\.\d{1,3}){3}/iu.test(typed)) return true
  const dotsInWords = typed.matchAll(new RegExp(`(?<=[\\p{L}\\p{N}-])${dot}(?=\\p{L}{2})`, 'gu'))
  return Array.from(dotsInWords).some(({ index }) => {
    const textBefore = typed.slice(Math.max(0, index - 5), index)
    const textAfter = typed.slice(index + 1, index + 30)
    const isFollowedByName = /^(?:\p{L}{3}|dr\.)/iu.test(textAfter)
    const isFollowedByAddress = /^\p{L}{1,25}[/:]/u.test(textAfter) || commonDomain.test(textAfter)
    const isPartOfName = shortForm.test(textBefore) && isFollowedByName && !isFollowedByAddress
    return !isPartOfName
  })
}

const hasPhoneNumber = (typed: string) => typed.replaceAll(/\P{Nd}/gu, '').length >= 7

export const isPersonName = (typed: string) => isOneLine(typed) && !looksLikeLink(typed) && !hasPhoneNumber(typed)

const nameMessage =
  'Please enter your name without links, email addresses or phone numbers, and with a space after a dot'
export const personName = line(100, 'Please enter your name').check(z.refine<string>(isPersonName, nameMessage))
export const optionalName = optionalLine(100).check(
  z.refine<string | undefined>((typed) => isPersonName(typed ?? ''), nameMessage),
)
