import { expect, test } from 'vitest'
import { problemOf } from './card-input.ts'

const now = new Date('2026-11-15T00:00:00Z')
const validCard = { number: '4242 4242 4242 4242', expiry: '12 / 34', cvc: '123' }

test.for([
  ['number', '4242', 'incomplete_number'],
  ['number', '5555-5555-5555-4444', undefined],
  ['expiry', '12', 'incomplete_expiry'],
  ['expiry', '1327', 'invalid_expiry_month'],
  ['expiry', '10 / 26', 'invalid_expiry_year_past'],
  ['expiry', '1126', undefined],
  ['cvc', '12', 'incomplete_cvc'],
  ['cvc', '123', undefined],
] as const)('in the field %s, the input %s has the problem %s', ([field, value, code]) => {
  expect(problemOf(field, { ...validCard, [field]: value }, now)?.code).toBe(code)
})
