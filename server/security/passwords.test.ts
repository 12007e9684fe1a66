import { expect, test } from 'vitest'
import { isCommonPassword } from './common-passwords.ts'
import { createPasswords } from './passwords.ts'

test('a password hash is argon2id with 19 MiB and two passes, and different each time', async () => {
  const passwords = createPasswords()
  const [firstHash, secondHash] = [await passwords.hash('sesame'), await passwords.hash('sesame')]
  expect(firstHash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  expect(firstHash).not.toBe(secondHash)
  expect(await passwords.matches('sesame', firstHash)).toBe(true)
  expect(await passwords.matches('Sesame', firstHash)).toBe(false)
  expect(await passwords.matches('nobody has this password', null)).toBe(false)
})

test('a few hashes run at once, a few more wait, and the rest are refused immediately', async () => {
  const passwords = createPasswords({ atOnce: 2, waiting: 3 })
  const answers = await Promise.allSettled(Array.from({ length: 8 }, () => passwords.hash('sesame')))
  expect(answers.map(({ status }) => status)).toEqual([
    ...Array<string>(5).fill('fulfilled'),
    ...Array<string>(3).fill('rejected'),
  ])
  expect(answers.at(-1)).toMatchObject({ reason: { status: 503, details: { retryAfterSeconds: 2 } } })
  await passwords.hash('sesame')
})

test('common passwords and keyboard patterns are refused, and others are not', () => {
  const common =
    '123456 password 12345678 iloveyou trustno1 macgyver 02061970 P@ssword Summer2026 tradingview reboundsigma'
  const patterns = '11111111 abcabcabc 0987654321 23456789 qwertz lkjhgf 90123456 zyxwvu'
  for (const password of `${common} ${patterns}`.split(' '))
    expect([password, isCommonPassword(password)]).toEqual([password, true])
  for (const uncommon of ['correct horse battery', 'the seller of the shop', 'abcdefgx', 'qwertz7!'])
    expect([uncommon, isCommonPassword(uncommon)]).toEqual([uncommon, false])
})
