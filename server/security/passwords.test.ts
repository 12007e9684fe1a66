import { expect, test } from 'vitest'
import { createPasswords } from './passwords.ts'

test('a hash is argon2id with 19 MiB and two passes, and different each time', async () => {
  const passwords = createPasswords()
  const [one, two] = [await passwords.hash('sesame'), await passwords.hash('sesame')]
  expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  expect(one).not.toBe(two)
  expect(await passwords.matches('sesame', one)).toBe(true)
  expect(await passwords.matches('Sesame', one)).toBe(false)
  expect(await passwords.matches('nobody has this password', null)).toBe(false)
})

test('few are hashed at once, few more wait, and the rest is refused at once', async () => {
  const passwords = createPasswords({ atOnce: 2, waiting: 3 })
  const answers = await Promise.allSettled(Array.from({ length: 8 }, () => passwords.hash('sesame')))
  expect(answers.map(({ status }) => status)).toEqual([
    ...Array<string>(5).fill('fulfilled'),
    ...Array<string>(3).fill('rejected'),
  ])
  expect(answers.at(-1)).toMatchObject({ reason: { status: 503, retryAfterSeconds: 2 } })
  await passwords.hash('sesame')
})
