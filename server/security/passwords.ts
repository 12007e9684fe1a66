import { availableParallelism } from 'node:os'
import { hash, verify } from '@node-rs/argon2'
import { createSemaphore } from '../concurrency/semaphore.ts'
import { invalid, Refusal } from '../errors.ts'
import { isCommonPassword } from './common-passwords.ts'

export type Passwords = ReturnType<typeof createPasswords>

/** Argon2id with the parameters OWASP recommends: 19 MiB, two passes, one lane. */
export type PasswordCost = { memoryCost: number; timeCost: number; parallelism: number }

const usualCost: PasswordCost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** The most expensive thing a stranger can ask for: only a few run at a time, a few may wait, the rest are refused. */
export function createPasswords({
  atOnce = Math.max(1, availableParallelism() - 1),
  waiting: maxWaiting = 100,
  cost = usualCost,
  argon2 = { hash, verify },
} = {}) {
  const hashing = createSemaphore({
    atOnce,
    maxWaiting,
    refusal: () =>
      new Refusal(503, 'busy', 'Too many people are logging in right now. Please try again in a moment.', {
        retryAfterSeconds: 2,
      }),
  })

  /** Hash for accounts that don't exist, so that the check takes as long as for a real one. */
  const nobodys = argon2.hash('nobody has this password', cost)

  return {
    hash: (password: string) => hashing.run(() => argon2.hash(password, cost)),

    /** Always does the same work, whether or not there is a hash to check. */
    async matches(password: string, passwordHash: string | null | undefined) {
      const against = passwordHash ?? (await nobodys)
      const same = await hashing.run(() => argon2.verify(against, password))
      return same && passwordHash !== null && passwordHash !== undefined
    },

    refuseCommon(password: string, field: string) {
      if (isCommonPassword(password)) throw invalid(field, 'This password is too common. Please choose another.')
    },
  }
}
