import { expect, test } from 'vitest'
import { parseAssetList } from './parse-asset-list.ts'

test('a pasted list has one asset per line, with or without a note', () => {
  expect(parseAssetList('aapl, Strong trend\nSPY; other\n\nmsft\tCloud\nAAPL')).toEqual({
    assets: [
      { ticker: 'AAPL', note: 'Strong trend' },
      { ticker: 'SPY', note: 'other' },
      { ticker: 'MSFT', note: 'Cloud' },
      { ticker: 'AAPL' },
    ],
    faults: [],
  })
})

test('a ticker may have special characters or end with its class of shares', () => {
  expect(parseAssetList('^gspc\nBRK B, Two classes\nbrk a\nM&M;Mahindra\nSPY*2 doubled').assets).toEqual([
    { ticker: '^GSPC' },
    { ticker: 'BRK B', note: 'Two classes' },
    { ticker: 'BRK A' },
    { ticker: 'M&M', note: 'Mahindra' },
    { ticker: 'SPY*2', note: 'doubled' },
  ])
})

test('lines of a pasted list that are not tickers are named', () => {
  expect(parseAssetList('AAPL\n\n=cmd()\nMSFT')).toEqual({
    assets: [{ ticker: 'AAPL' }, { ticker: 'MSFT' }],
    faults: [expect.stringMatching(/^Line 3: Tickers have up to 30 letters/)],
  })
})

test.for(['Ticker,Note', 'symbol', '\uFEFF"Ticker";"Note"', 'Tickers\tComment'])(
  'a first line with the columns’ names is no asset: %s',
  (heading) => {
    expect(parseAssetList(`${heading}\n"AAPL","Says ""buy"", often"\nSYMBOL.X`)).toEqual({
      assets: [{ ticker: 'AAPL', note: 'Says "buy", often' }, { ticker: 'SYMBOL.X' }],
      faults: [],
    })
  },
)
