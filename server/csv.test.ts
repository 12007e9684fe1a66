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
