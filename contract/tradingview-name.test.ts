import { expect, test } from 'vitest'
import { keyOfName, readUsername } from './tradingview-name.ts'

test.for([
  ['ada_trades', 'ada_trades'],
  ['  @ada_trades ', 'ada_trades'],
  ['https://www.tradingview.com/u/ada_trades/', 'ada_trades'],
  ['de.tradingview.com/u/ada-trades/#published-scripts', 'ada-trades'],
  ['tradingview.com/u/Ada.T?x=1', 'Ada.T'],
  ['ａｄａ＿ｔｒａｄｅｓ', 'ada_trades'],
  ['ada\u200B_trades\uFEFF', 'ada_trades'],
])('%s is read as %s', ([typed, username]) => {
  expect(readUsername(typed ?? '')).toEqual({ username })
})

test.for([
  ['ada@example.com', /email address/],
  ['Ada Trader', /no spaces/],
  ['a'.repeat(65), /at most 64/],
  ['ada!', /only letters/],
  ['<script>', /only letters/],
  ['\u200B', /required/],
] as const)('%s is refused with a sentence', ([typed, sentence]) => {
  expect(readUsername(typed)).toMatchObject({ refusal: expect.stringMatching(sentence) })
})

test('names are compared without case', () => {
  expect(keyOfName('Ada_Trades')).toBe('ada_trades')
})
