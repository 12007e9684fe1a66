import { expect, test } from 'vitest'
import { dollars, exactDollars } from './money.ts'

test.for([
  [0, '$0.00', '$0'],
  [5, '$0.05', '$0.05'],
  [3900, '$39.00', '$39'],
  [3950, '$39.50', '$39.50'],
  [1_234_567, '$12,345.67', '$12,345.67'],
  [-1000, '-$10.00', '-$10'],
] as const)('%i cents are charged as %s and advertised as %s', ([cents, charged, advertised]) => {
  expect([exactDollars(cents), dollars(cents)]).toEqual([charged, advertised])
})
