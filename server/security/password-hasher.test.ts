import { expect, test } from 'vitest'
import { isCommonPassword } from './common-passwords.ts'
import { createPasswordHasher } from './password-hasher.ts'

test('a password hash is argon2id with 19 MiB and two passes, and different each time', async () => {
  const passwordHasher = createPasswordHasher()
  const [firstHash, secondHash] = [await passwordHasher.hash('sesame'), await passwordHasher.hash('sesame')]
  expect(firstHash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  expect(firstHash).not.toBe(secondHash)
  expect(await passwordHasher.matches('sesame', firstHash)).toBe(true)
  expect(await passwordHasher.matches('Sesame', firstHash)).toBe(false)
  expect(await passwordHasher.matches('nobody has this password', null)).toBe(false)
})

test('a few hashes run at once, a few more wait, and the rest are refused immediately', async () => {
  const passwordHasher = createPasswordHasher({ atOnce: 2, waiting: 3 })
  const answers = await Promise.allSettled(Array.from({ length: 8 }, () => passwordHasher.hash('sesame')))
  expect(answers.map(({ status }) => status)).toEqual([
    ...Array<string>(5).fill('fulfilled'),
    ...Array<string>(3).fill('rejected'),
  ])
  expect(answers.at(-1)).toMatchObject({ reason: { status: 503, details: { retryAfterSeconds: 2 } } })
  await passwordHasher.hash('sesame')
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
