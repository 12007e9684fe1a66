import fc from 'fast-check'
import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { looksLikeLink, personName } from './person-name.ts'

const isName = (typed: string) => z.safeParse(personName, typed).success

test.each([
  'Ada Lovelace',
  'St.John',
  'Oliver St.John Gogarty',
  'Dr.Smith',
  'dr.smith',
  'Prof.Dr.Meier',
  'A.J.',
  'A.J.Smith',
  'J.R.R. Tolkien',
  'Md.Rahman',
  'O\u2019Neil-Smith Jr.',
  "O'Neil-Smith Jr.",
  'Jürgen Müller-Lüdenscheidt',
  'Łukasz Żółć',
  '山田 太郎',
  'علی\u200cرضا',
  'X Æ A-12',
  'Trader 2026',
])('%s is a name', (name) => {
  expect(isName(name)).toBe(true)
})

test.each([
  't.me/x',
  'T.ME/x',
  'x.com/evil',
  'x.com',
  't.co',
  'See bit.ly/abc',
  'wa.me/123',
  'evil.example',
  'visit evil.shop',
  'evil.london',
  'J.Smith.com',
  'a.smith/pay',
  't。me',
  'https://evil',
  'www evil com',
  'mail me@evil',
  '192.0.2.1',
  '\\\\server\\share',
  'Call 0800 123 45 67',
  'Ada\nYour card was charged',
  'Ada\r\nBcc: x',
  'Ada\tLovelace',
  'Ada\u2028Lovelace',
  'Ada \u202egnol',
  'Ada\u0007',
])('%j is refused as a name', (name) => {
  expect(isName(name)).toBe(false)
})

test('a short link is refused in a name, whatever surrounds it', () => {
  const word = fc.stringMatching(/^[a-z0-9]{1,12}$/)
  const ending = fc.constantFrom('me', 'co', 'ly', 'gl', 'com', 'net', 'org', 'xyz', 'shop', 'link')
  const textBefore = fc.constantFrom('', 'Ada ', 'Dr. ', 'Ada, ', '(', '“')
  const textAfter = fc.constantFrom('', ' Ada', ', Ada', ')', '!', '.')
  fc.assert(
    fc.property(textBefore, word, ending, textAfter, (before, host, topLevelDomain, after) => {
      expect(isName(`${before}${host}.${topLevelDomain}${after}`)).toBe(false)
      expect(isName(`${before}${host}.${topLevelDomain}/x${after}`)).toBe(false)
    }),
  )
})

test('the search for links takes linear time', () => {
  expect(looksLikeLink('a'.repeat(200_000))).toBe(false)
  expect(looksLikeLink('a.'.repeat(100_000))).toBe(false)
  expect(looksLikeLink('A.Smith '.repeat(25_000))).toBe(false)
})
