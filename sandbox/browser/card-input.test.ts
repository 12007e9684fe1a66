import fc from 'fast-check'
import { expect, test } from 'vitest'
import { brandOf, digitsOf, formatCvc, formatExpiry, formatNumber, problemOf } from './card-input.ts'

test.for([
  ['4242424242424242', '4242 4242 4242 4242', 'visa'],
  ['42424', '4242 4', 'visa'],
  ['378282246310005', '3782 822463 10005', 'amex'],
  ['5555 5555-5555 4444 99', '5555 5555 5555 4444', 'mastercard'],
  ['abc', '', 'unknown'],
])('%s is shown as "%s", a %s card', ([typed = '', shown, brand]) => {
  expect(formatNumber(typed)).toBe(shown)
  expect(brandOf(typed)).toBe(brand)
})

test('formatting changes no digit, and formatting twice changes nothing more', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('0', '1', '2', '3', '4', '5', '6', '7', '8', '9', ' ', '-') }),
      (typed) => {
        const once = formatNumber(typed)
        expect(digitsOf(typed).startsWith(digitsOf(once))).toBe(true)
        expect(formatNumber(once)).toBe(once)
      },
    ),
  )
})

test.for([
  ['1', '1'],
  ['4', '04 / '],
  ['12', '12 / '],
  ['1227', '12 / 27'],
  ['122027', '12 / 27'],
  ['1/27', '01 / 27'],
  ['12 / 2', '12 / 2'],
])('an expiry typed as %s is shown as "%s"', ([typed = '', shown]) => {
  expect(formatExpiry(typed)).toBe(shown)
})

test('you can delete back over the slash', () => {
  expect(formatExpiry('12 / ', true)).toBe('12')
})

test('the security code has three digits, or four on American Express', () => {
  expect(formatCvc('12345', '4242')).toBe('123')
  expect(formatCvc('12345', '3782')).toBe('1234')
})

test('each field says what is wrong with it', () => {
  const now = new Date('2026-11-15T00:00:00Z')
  const problem = (field: 'number' | 'expiry' | 'cvc', value: string) =>
    problemOf(field, { number: '4242 4242 4242 4242', expiry: '12 / 30', cvc: '123', [field]: value }, now)
      ?.message
  expect(problem('number', '4242')).toBe('Your card number is incomplete.')
  expect(problem('number', '4242 4242 4242 4241')).toBe('Your card number is invalid.')
  expect(problem('expiry', '12')).toBe("Your card's expiration date is incomplete.")
  expect(problem('expiry', '13 / 30')).toBe("Your card's expiration date is invalid.")
  expect(problem('expiry', '10 / 26')).toBe("Your card's expiration date is in the past.")
  expect(problem('expiry', '11 / 26')).toBeUndefined()
  expect(problem('cvc', '12')).toBe("Your card's security code is incomplete.")
  expect(problem('number', '4242 4242 4242 4242')).toBeUndefined()
})
