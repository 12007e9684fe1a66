/** Works without the DOM, so that tests can run it in Node. */

export type FieldName = 'number' | 'expiry' | 'cvc'
export type Problem = { code: string; message: string }

export const digitsOf = (text: string) => text.replaceAll(/\D/g, '')

export function readExpiry(text: string): { month: number; year: number } {
  const digits = digitsOf(text)
  return { month: Number(digits.slice(0, 2)), year: 2000 + Number(digits.slice(2, 4)) }
}

export function problemOf(field: FieldName, values: Record<FieldName, string>, now: Date): Problem | undefined {
  if (field === 'number' && digitsOf(values.number).length < 16)
    return { code: 'incomplete_number', message: 'Your card number is incomplete.' }
  if (field === 'expiry') {
    if (digitsOf(values.expiry).length < 4)
      return { code: 'incomplete_expiry', message: "Your card's expiration date is incomplete." }
    const { month, year } = readExpiry(values.expiry)
    if (month < 1 || month > 12)
      return { code: 'invalid_expiry_month', message: "Your card's expiration date is invalid." }
    if (Date.UTC(year, month, 1) <= now.getTime())
      return { code: 'invalid_expiry_year_past', message: "Your card's expiration date is in the past." }
  }
  if (field === 'cvc' && digitsOf(values.cvc).length < 3)
    return { code: 'incomplete_cvc', message: "Your card's security code is incomplete." }
  return undefined
}
