import { expect, test } from 'vitest'
import { codeAt, otpAuthUrl, randomSecret, stepOfValidCode } from './totp.ts'

/** The ASCII secret "12345678901234567890" of RFC 6238, appendix B, as base32. */
const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

test.for([
  [59, '94287082'],
  [1_111_111_109, '07081804'],
  [1_111_111_111, '14050471'],
  [1_234_567_890, '89005924'],
  [2_000_000_000, '69279037'],
  [20_000_000_000, '65353130'],
] as const)('at second %i the code is %s, as RFC 6238 has it', ([second, code]) => {
  expect(codeAt(secret, Math.floor(second / 30), 8)).toBe(code)
})

test('a code works one step early and late, and never at or before the last step used', () => {
  const now = new Date(1_111_111_111_000)
  const step = Math.floor(1_111_111_111 / 30)
  const findStep = (offset: number) => stepOfValidCode(codeAt(secret, step + offset), secret, now, 0)
  expect([-2, -1, 0, 1, 2].map(findStep)).toEqual([undefined, step - 1, step, step + 1, undefined])
  expect(stepOfValidCode(codeAt(secret, step), secret, now, step)).toBeUndefined()
})

test('secrets have 160 bits and are never the same', () => {
  const secrets = Array.from({ length: 100 }, randomSecret)
  for (const randomlyMade of secrets) expect(randomlyMade).toMatch(/^[A-Z2-7]{32}$/)
  expect(new Set(secrets).size).toBe(100)
})

test('apps read the shop, the account and the secret from the QR code', () => {
  expect(otpAuthUrl(secret, 'Rebound Sigma', 'ada@example.com')).toBe(
    `otpauth://totp/Rebound%20Sigma:ada%40example.com?secret=${secret}&issuer=Rebound%20Sigma`,
  )
})
