import { availableParallelism } from 'node:os'
import { hash, verify } from '@node-rs/argon2'
import { createSemaphore } from '../concurrency/semaphore.ts'
import { invalid, Refusal } from '../errors.ts'
import { isCommonPassword } from './common-passwords.ts'

export type PasswordHasher = ReturnType<typeof createPasswordHasher>

/** For Argon2id; `memoryCost` is in KiB. */
export type PasswordCost = { memoryCost: number; timeCost: number; parallelism: number }

/** OWASP recommends 19 MiB, two passes and one lane. */
const defaultCost: PasswordCost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Hashes a few at a time, because hashing is the most expensive work that a stranger can cause. */
export function createPasswordHasher({
  atOnce = Math.max(1, availableParallelism() - 1),
  waiting: maxWaiting = 100,
  cost = defaultCost,
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

  /** For accounts that don't exist, so that the check takes as long as for a real one. */
  const placeholderHash = argon2.hash('nobody has this password', cost)

  return {
    hash: (password: string) => hashing.run(() => argon2.hash(password, cost)),

    async matches(password: string, passwordHash: string | null | undefined) {
      const comparedHash = passwordHash ?? (await placeholderHash)
      const isMatch = await hashing.run(() => argon2.verify(comparedHash, password))
      return isMatch && passwordHash !== null && passwordHash !== undefined
    },

    refuseCommon(password: string, field: string) {
      if (isCommonPassword(password)) throw invalid(field, 'This password is too common. Please choose another.')
    },
  }
}
