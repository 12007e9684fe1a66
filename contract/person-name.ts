import * as z from 'zod/mini'
import { isOneLine, line, optionalLine } from './fields.ts'

const dot = '[.。．｡]'
/** Parts of names before a dot without a space: initials, titles, short forms like St or Md. */
const shortForm = /(?:^|[^\p{L}\p{N}])(?:\p{L}{1,3}|\p{N}|prof|dipl)$/iu
/** Common top-level domains, which hardly any name begins with. */
const commonEnding =
  /^(?:com|net|org|info|biz|xyz|top|app|dev|shop|online|site|live|link|click|page|club|store|pro|vip|mobi|edu|gov|one|fun|icu|bio|space|website|tech|blog|cloud|world|life|today|news|email|zone|wiki|ink|bet|win|bid|loan|work|example)(?!\p{L})/iu

/** Matches text that email clients turn into links, except names (St.John, A.J.). All repetitions are bounded. */
export function looksLikeLink(typed: string): boolean {
  if (/:\/\/|@|\bwww\b|\\\\|\d{1,3}(?:\.\d{1,3}){3}/iu.test(typed)) return true
  return Array.from(typed.matchAll(new RegExp(`(?<=[\\p{L}\\p{N}-])${dot}(?=\\p{L}{2})`, 'gu'))).some(({ index }) => {
    const after = typed.slice(index + 1, index + 30)
    const isName =
      shortForm.test(typed.slice(Math.max(0, index - 5), index)) &&
      /^(?:\p{L}{3}|dr\.)/iu.test(after) &&
      !/^\p{L}{1,25}[/:]/u.test(after) &&
      !commonEnding.test(after)
    return !isName
  })
}

const hasPhoneNumber = (typed: string) => typed.replaceAll(/\P{Nd}/gu, '').length >= 7

export const isPersonName = (typed: string) => isOneLine(typed) && !looksLikeLink(typed) && !hasPhoneNumber(typed)

const nameMessage =
  'Please enter your name without links, email addresses or phone numbers, and with a space after a dot'
export const personName = line(100, 'Please enter your name').check(z.refine<string>(isPersonName, nameMessage))
/** Empty if unknown. */
export const optionalName = optionalLine(100).check(
  z.refine<string | undefined>((typed) => isPersonName(typed ?? ''), nameMessage),
)
