import fc from 'fast-check'
import { expect, test } from 'vitest'
import { inert, inertLine } from './inert.ts'
import { greeting } from './template.ts'

/** Texts that Gmail, Outlook and Apple Mail turn into links. */
const clickable = [
  /[\p{L}\p{N}_-][.。．｡][\p{Cf}]*\p{L}/u,
  /\p{L}:[^\s]/u,
  /[/\\]{2}/,
  /@\S/,
  /\d{1,3}(?:\.\d{1,3}){3}/,
]
const links = (text: string) => clickable.filter((pattern) => pattern.test(text))

test('a link in someone’s words can be read, but not clicked', () => {
  expect(inert('Pay at https://evil.example/pay or t.me/x')).toBe('Pay at https: / /evil. example/pay or t. me/x')
  expect(inert('Write to eve@evil.example.')).toBe('Write to eve@ evil. example.')
  expect(inert('It stopped working. 3.5 stars, since 10:30!')).toBe('It stopped working. 3.5 stars, since 10:30!')
  expect(inert('One\r\ntwo\u0000\u2028three')).toBe('One\ntwo\nthree')
  expect(inertLine('RS-1\n\nYour card was charged')).toBe('RS-1 Your card was charged')
})

const piece = fc.oneof(
  fc.constantFrom(
    '.',
    '。',
    ':',
    '//',
    '\\\\',
    '@',
    'www',
    'http',
    't.me/x',
    'mailto:a@b.co',
    '1.2.3.4',
    '\u200d',
    ' ',
  ),
  fc.constantFrom('\n', '\r', '\t', '\u0000', '\u2029', '\u202e'),
  fc.string({ unit: 'grapheme', maxLength: 5 }),
)
const anything = fc.array(piece, { maxLength: 15 }).map((pieces) => pieces.join(''))

test('whatever someone writes, nothing in it is clickable, and nothing that can be seen is lost', () => {
  const withoutInvisible = (text: string) => text.replaceAll(/[\s\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '')
  fc.assert(
    fc.property(anything, (typed) => {
      expect(links(inert(typed))).toEqual([])
      expect(withoutInvisible(inert(typed))).toBe(withoutInvisible(typed))
      expect(inert(inert(typed))).toBe(inert(typed))
      expect(inertLine(typed)).not.toMatch(/[\n\r\u2028\u2029]/)
    }),
    { numRuns: 2000 },
  )
})

test('a greeting is one line without links, whatever name an old account has', () => {
  expect(greeting('Dr.Smith')).toBe('Hello Dr. Smith,')
  for (const name of ['t.me/x', 'Ada\nYour card was charged', 'Call 0800 123 45 67', 'x.com'])
    expect(greeting(name)).toBe('Hello,')
  fc.assert(
    fc.property(anything, (name) => {
      expect(links(greeting(name))).toEqual([])
      expect(greeting(name)).not.toContain('\n')
    }),
  )
})
