/** What the card fields do with typed input. Uses no document, so it can be tested on its own. */

export type FieldName = 'number' | 'expiry' | 'cvc'
export type Values = Record<FieldName, string>
export type Problem = { code: string; message: string; incomplete: boolean }

export const digitsOf = (text: string) => text.replaceAll(/\D/g, '')

export type Brand = 'visa' | 'mastercard' | 'amex' | 'unknown'

export function brandOf(number: string): Brand {
  const digits = digitsOf(number)
  if (digits.startsWith('4')) return 'visa'
  if (/^(5[1-5]|2[2-7])/.test(digits)) return 'mastercard'
  if (/^3[47]/.test(digits)) return 'amex'
  return 'unknown'
}

const numberLength = (number: string) => (brandOf(number) === 'amex' ? 15 : 16)
const cvcLength = (number: string) => (brandOf(number) === 'amex' ? 4 : 3)

export function formatNumber(text: string): string {
  const digits = digitsOf(text).slice(0, numberLength(text))
  const groups =
    brandOf(digits) === 'amex'
      ? /^(\d{1,4})(\d{1,6})?(\d{1,5})?$/
      : /^(\d{1,4})(\d{1,4})?(\d{1,4})?(\d{1,4})?$/
  return (groups.exec(digits) ?? []).slice(1).filter(Boolean).join(' ')
}

/** `1` stays, `4` becomes `04 / `, `1227` becomes `12 / 27`. */
export function formatExpiry(text: string, deleting = false): string {
  let digits = digitsOf(text)
  if (/^[2-9]/.test(digits) || /^1\s*\//.test(text)) digits = `0${digits}`
  const [month, year] = [
    digits.slice(0, 2),
    digits
      .slice(2, 6)
      .replace(/^20(?=\d\d)/, '')
      .slice(0, 2),
  ]
  if (month.length < 2 || (deleting && year === '')) return month
  return `${month} / ${year}`
}

export const formatCvc = (text: string, number: string) => digitsOf(text).slice(0, cvcLength(number))

export function readExpiry(text: string): { month: number; year: number } {
  const digits = digitsOf(text)
  return { month: Number(digits.slice(0, 2)), year: 2000 + Number(digits.slice(2, 4)) }
}

const problem = (code: string, message: string): Problem => ({
  code,
  message,
  incomplete: code.startsWith('incomplete'),
})

export function problemOf(field: FieldName, values: Values, now: Date): Problem | undefined {
  if (field === 'number') {
    if (digitsOf(values.number).length < numberLength(values.number)) {
      return problem('incomplete_number', 'Your card number is incomplete.')
    }
    return passesLuhn(digitsOf(values.number))
      ? undefined
      : problem('invalid_number', 'Your card number is invalid.')
  }
  if (field === 'expiry') {
    if (digitsOf(values.expiry).length < 4) {
      return problem('incomplete_expiry', "Your card's expiration date is incomplete.")
    }
    const { month, year } = readExpiry(values.expiry)
    if (month < 1 || month > 12)
      return problem('invalid_expiry_month', "Your card's expiration date is invalid.")
    const past = Date.UTC(year, month, 1) <= now.getTime()
    return past
      ? problem('invalid_expiry_year_past', "Your card's expiration date is in the past.")
      : undefined
  }
  return values.cvc.length < cvcLength(values.number)
    ? problem('incomplete_cvc', "Your card's security code is incomplete.")
    : undefined
}

export function passesLuhn(number: string): boolean {
  if (!/^\d{12,19}$/.test(number)) return false
  let sum = 0
  for (let index = 0; index < number.length; index++) {
    const digit = Number(number.at(-1 - index))
    const doubled = index % 2 === 0 ? digit : digit * 2
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}
