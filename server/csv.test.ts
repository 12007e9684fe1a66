import { parse } from 'csv-parse/sync'
import { expect, test } from 'vitest'
import { csvOf } from './csv.ts'

test('texts are quoted where needed, and none runs as a formula; negative amounts stay numbers', () => {
  const rows = [
    ['Region', 'Net (USD)'],
    ['=HYPERLINK("https://evil.example")', '-39.00'],
    ['-1+cmd', -5],
    ['Zürich, Stadt', '0.00'],
  ]
  expect(csvOf(rows)).toBe(
    '\uFEFFRegion,Net (USD)\n"\'=HYPERLINK(""https://evil.example"")",-39.00\n\'-1+cmd,-5\n"Zürich, Stadt",0.00\n',
  )
})

test.for([
  ['x;=1+1', "x;'=1+1"],
  ['x\t@SUM(1)', "x\t'@SUM(1)"],
  ['x\r\n"+1+1', "x\r'\n'\"+1+1"],
  ['＝1+1', "'＝1+1"],
  ['\u00A0=1+1', "'\u00A0=1+1"],
  ['Appenzell; Ausserrhoden', 'Appenzell; Ausserrhoden'],
] as const)(
  '%j is harmless at every separator and behind every character that spreadsheets ignore',
  ([typed, cell]) => {
    expect(parse(csvOf([[typed]]), { bom: true })).toEqual([[cell]])
  },
)
