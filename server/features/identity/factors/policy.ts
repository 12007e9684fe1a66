import { and, eq, sql } from 'drizzle-orm'
import { isStaff } from '#contract/permissions.ts'
import type { WayToProve } from '#contract/statuses.ts'
import type { User } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { appCodes, passkeys, users } from '#server/database/schema.ts'

type PolicyDeps = Pick<Context, 'db' | 'config'>

/** Rules of logging in. A passkey is enough; so is the password, unless app codes are on or a second step is required. */
export type Policy = {
  holdingsOf(
    userId: string,
    tx?: Database | Transaction,
  ): Promise<{ hasPassword: boolean; hasPasskey: boolean; hasAppCodes: boolean }>
  isRequiredOf(user: Who): boolean
  /** Factors that must follow the password. Empty for most people, and for staff who have none yet. */
  nextStepOf(user: Who): Promise<WayToProve[]>
  waysToProve(user: Who): Promise<{ ways: WayToProve[]; hasFactor: boolean }>
}

type Who = Pick<User, 'id' | 'isAdmin' | 'role'>

export function createPolicy({ db, config }: PolicyDeps): Policy {
  const host = new URL(config.publicUrl).hostname

  async function holdingsOf(userId: string, tx: Database | Transaction = db) {
    const [found] = await tx
      .select({
        hasPassword: sql<boolean>`${users.passwordHash} is not null`,
        hasPasskey: sql<boolean>`exists (${tx
          .select({ one: sql`1` })
          .from(passkeys)
          .where(and(eq(passkeys.userId, userId), eq(passkeys.host, host)))})`,
        hasAppCodes: sql<boolean>`exists (${tx
          .select({ one: sql`1` })
          .from(appCodes)
          .where(eq(appCodes.userId, userId))})`,
      })
      .from(users)
      .where(eq(users.id, userId))
    return found ?? { hasPassword: false, hasPasskey: false, hasAppCodes: false }
  }

  const isRequiredOf = (user: Who) => config.staffNeedFactor && isStaff(user)

  return {
    holdingsOf,
    isRequiredOf,

    async nextStepOf(user) {
      const factors = factorsAmong(await holdingsOf(user.id))
      return factors.includes('code') || isRequiredOf(user) ? factors : []
    },

    async waysToProve(user) {
      const holdings = await holdingsOf(user.id)
      const factors = factorsAmong(holdings)
      const hasFactor = factors.length > 0
      const passwordIsEnough = !factors.includes('code') && !(hasFactor && isRequiredOf(user))
      return {
        ways: [...factors, ...(holdings.hasPassword && passwordIsEnough ? (['password'] as const) : [])],
        hasFactor,
      }
    },
  }
}

const factorsAmong = (held: { hasPasskey: boolean; hasAppCodes: boolean }): WayToProve[] => [
  ...(held.hasPasskey ? (['passkey'] as const) : []),
  ...(held.hasAppCodes ? (['code'] as const) : []),
]
