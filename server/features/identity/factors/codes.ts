import { randomBytes } from 'node:crypto'
import { and, eq, isNull } from 'drizzle-orm'
import type { Actor, User } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { recoveryCodes } from '#server/database/schema.ts'
import { hashToken } from '#server/security/tokens.ts'
import { type AppCodes, wrongCode } from './app-codes.ts'

type CodeContext = Pick<Context, 'db' | 'now' | 'attempts' | 'securityLog'>

/** Codes of an authenticator app and recovery codes. Each works once. */
export type Codes = {
  useFromApp(actor: Actor<User | null>, typed: TypedCode): Promise<void>
  useForRecovery(actor: Actor<User | null>, typed: TypedCode): Promise<void>
}

/** `device` is the secret cookie of the browser, if it has logged in before. */
export type CodeFromBrowser = { code: string; device: string | undefined }

type TypedCode = {
  userId: string
  code: string
  /** A known device has a limit of its own, which strangers can't use up. */
  device?: string | undefined
}

/** 5 tries per 15 minutes against 1,000,000 possible codes. */
const attemptLimit = { requests: 5, seconds: 900 }

/** App codes have only digits; recovery codes also have letters. */
export const isAppCode = (typed: string) => /^[\d\s-]*$/.test(typed)

export function createCodes({ db, now, attempts, securityLog }: CodeContext, appCodes: AppCodes): Codes {
  async function useCode(
    { ip }: Actor<User | null>,
    { userId, device }: TypedCode,
    use: (tx: Transaction) => Promise<boolean>,
  ) {
    await attempts.countOrRefuse('code', userId, attemptLimit, { device })
    if (!(await db.transaction(use))) {
      securityLog('code refused', { ip, user: { id: userId } })
      throw wrongCode()
    }
    await attempts.clear('code', userId, device)
  }

  return {
    useFromApp: (actor, typed) => useCode(actor, typed, (tx) => appCodes.use(tx, typed.userId, typed.code)),

    useForRecovery: (actor, typed) => useCode(actor, typed, (tx) => recovery.use(tx, typed.userId, typed.code, now())),
  }
}

const recoveryCodeCount = 10

/** 32 characters, so that a byte maps to each equally often. Without 1, i, l and o, which look alike. */
const alphabet = 'abcdefghjkmnpqrstuvwxyz023456789'

/** Returns a code of four groups. Its 80 random bits can't be guessed, so a plain hash is enough. */
function randomCode(): string {
  const letters = Array.from(randomBytes(16), (byte) => alphabet[byte % alphabet.length]).join('')
  const groupsOfFour = letters.match(/.{4}/g) ?? []
  return groupsOfFour.join('-')
}

/** Ignores case and separators, and reads the letter o as a zero. */
function normalizeCode(typed: string): string {
  const readable = typed.toLowerCase().replaceAll('o', '0')
  return readable.replaceAll(/[^a-z0-9]/g, '')
}

const hashOf = (userId: string, code: string) => hashToken(`${userId}:${normalizeCode(code)}`)

export const recovery = {
  /** Replaces all codes by ten new ones. Only their hashes are stored, so they are shown once. */
  async renew(tx: Transaction, userId: string): Promise<string[]> {
    const codes = Array.from({ length: recoveryCodeCount }, randomCode)
    await tx.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId))
    await tx.insert(recoveryCodes).values(codes.map((code) => ({ userId, hash: hashOf(userId, code) })))
    return codes
  },

  countUnused: (tx: Transaction | Database, userId: string) =>
    tx.$count(recoveryCodes, and(eq(recoveryCodes.userId, userId), isNull(recoveryCodes.usedAt))),

  /** True only for the first use of a code, even under concurrency. */
  async use(tx: Transaction, userId: string, code: string, now: Date): Promise<boolean> {
    const updated = await tx
      .update(recoveryCodes)
      .set({ usedAt: now })
      .where(
        and(
          eq(recoveryCodes.userId, userId),
          eq(recoveryCodes.hash, hashOf(userId, code)),
          isNull(recoveryCodes.usedAt),
        ),
      )
    return updated.rowCount === 1
  },

  async forget(tx: Transaction, userId: string) {
    await tx.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId))
  },
}
