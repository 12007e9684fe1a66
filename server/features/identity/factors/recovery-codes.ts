import { randomBytes } from 'node:crypto'
import { and, eq, isNull } from 'drizzle-orm'
import type { Database, Transaction } from '#server/database/connect.ts'
import { recoveryCodes } from '#server/database/schema.ts'
import { hashToken } from '#server/security/tokens.ts'

const recoveryCodeCount = 10

/** 32 characters, none of which looks like another. */
const alphabet = 'abcdefghjkmnpqrstuvwxyz023456789'

/** 80 random bits, so a plain hash is enough: nobody tries them all. */
const randomCode = () =>
  [...randomBytes(16)]
    .map((byte) => alphabet[byte % 32])
    .join('')
    .replace(/(.{4})(?=.)/g, '$1-')

const tidy = (typed: string) =>
  typed
    .toLowerCase()
    .replaceAll('o', '0')
    .replaceAll(/[^a-z0-9]/g, '')

const hashOf = (userId: string, code: string) => hashToken(`${userId}:${tidy(code)}`)

/** For whoever has lost the device. */
export const recovery = {
  /** Ten new ones; those from before no longer work. They are shown once: only hashes are kept. */
  async renew(tx: Transaction, userId: string): Promise<string[]> {
    const codes = Array.from({ length: recoveryCodeCount }, randomCode)
    await tx.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId))
    await tx.insert(recoveryCodes).values(codes.map((code) => ({ userId, hash: hashOf(userId, code) })))
    return codes
  },

  left: (tx: Transaction | Database, userId: string) =>
    tx.$count(recoveryCodes, and(eq(recoveryCodes.userId, userId), isNull(recoveryCodes.usedAt))),

  /** True only for whoever uses it first, even of two at the same moment. */
  async use(tx: Transaction, userId: string, code: string, now: Date): Promise<boolean> {
    const used = await tx
      .update(recoveryCodes)
      .set({ usedAt: now })
      .where(
        and(
          eq(recoveryCodes.userId, userId),
          eq(recoveryCodes.hash, hashOf(userId, code)),
          isNull(recoveryCodes.usedAt),
        ),
      )
      .returning({ userId: recoveryCodes.userId })
    return used.length > 0
  },

  async forget(tx: Transaction, userId: string) {
    await tx.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId))
  },
}
