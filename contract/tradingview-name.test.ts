import { expect, test } from 'vitest'
import { normalizeUsername, parseUsername } from './tradingview-name.ts'

test.for([
  ['ada_trades', 'ada_trades'],
  ['  @ada_trades ', 'ada_trades'],
  ['https://www.tradingview.com/u/ada_trades/', 'ada_trades'],
  ['de.tradingview.com/u/ada-trades/#published-scripts', 'ada-trades'],
  ['tradingview.com/u/Ada.T?x=1', 'Ada.T'],
  ['ａｄａ＿ｔｒａｄｅｓ', 'ada_trades'],
  ['ada\u200B_trades\uFEFF', 'ada_trades'],
])('%s is read as %s', ([typed, username]) => {
  expect(parseUsername(typed ?? '')).toEqual({ username })
})

test.for([
  ['ada@example.com', /email address/],
  ['Ada Trader', /no spaces/],
  ['a'.repeat(65), /at most 64/],
  ['ada!', /only letters/],
  ['<script>', /only letters/],
  ['\u200B', /required/],
] as const)('%s is refused as a username, with the reason', ([typed, sentence]) => {
  expect(parseUsername(typed)).toMatchObject({ refusal: expect.stringMatching(sentence) })
})

test('usernames are compared without case', () => {
  expect(normalizeUsername('Ada_Trades')).toBe('ada_trades')
})
