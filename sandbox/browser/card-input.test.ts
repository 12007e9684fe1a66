import { expect, test } from 'vitest'
import { problemOf } from './card-input.ts'

const now = new Date('2026-11-15T00:00:00Z')
const right = { number: '4242 4242 4242 4242', expiry: '12 / 34', cvc: '123' }

test.for([
  ['number', '4242', 'incomplete_number'],
  ['number', '4242424242424241', 'invalid_number'],
  ['number', '378282246310005', undefined],
  ['expiry', '12', 'incomplete_expiry'],
  ['expiry', '1327', 'invalid_expiry_month'],
  ['expiry', '10 / 26', 'invalid_expiry_year_past'],
  ['expiry', '1126', undefined],
  ['cvc', '12', 'incomplete_cvc'],
] as const)('in the field %s, %s is %s', ([field, value, code]) => {
  expect(problemOf(field, { ...right, [field]: value }, now)?.code).toBe(code)
})

test('the security code has three digits, or four on American Express', () => {
  expect(problemOf('cvc', right, now)).toBeUndefined()
  expect(problemOf('cvc', { ...right, number: '378282246310005' }, now)?.code).toBe('incomplete_cvc')
})
