import { and, eq, sql } from 'drizzle-orm'
import { isStaff } from '#contract/permissions.ts'
import type { WayToProve } from '#contract/statuses.ts'
import type { User } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { appCodes, passkeys, users } from '#server/database/schema.ts'

type PolicyDeps = Pick<Context, 'db' | 'config'>

/** Rules of logging in. A passkey is enough. A password is enough unless app codes are on or a second step is required. */
export type Policy = {
  credentialsOf(
    userId: string,
    tx?: Database | Transaction,
  ): Promise<{ hasPassword: boolean; hasPasskey: boolean; hasAppCodes: boolean }>
  isSecondStepRequired(user: Person): boolean
  /** Factors that must follow the password. Empty for most people, and for staff who have none yet. */
  secondStepFactorsOf(user: Person): Promise<WayToProve[]>
  waysToProve(user: Person, tx?: Transaction): Promise<{ ways: WayToProve[]; hasFactor: boolean }>
}

type Person = Pick<User, 'id' | 'isAdmin' | 'role'>

export function createPolicy({ db, config }: PolicyDeps): Policy {
  const host = new URL(config.publicUrl).hostname

  async function credentialsOf(userId: string, tx: Database | Transaction = db) {
    const [credentials] = await tx
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
    return credentials ?? { hasPassword: false, hasPasskey: false, hasAppCodes: false }
  }

  const isSecondStepRequired = (user: Person) => config.staffNeedFactor && isStaff(user)

  /** Staff without a factor log in with the password, to set one up. */
  function isPasswordEnough(user: Person, factors: WayToProve[]) {
    if (factors.length === 0) return true
    return !factors.includes('code') && !isSecondStepRequired(user)
  }

  return {
    credentialsOf,
    isSecondStepRequired,

    async secondStepFactorsOf(user) {
      const factors = secondFactorsIn(await credentialsOf(user.id))
      return isPasswordEnough(user, factors) ? [] : factors
    },

    async waysToProve(user, tx) {
      const credentials = await credentialsOf(user.id, tx)
      const factors = secondFactorsIn(credentials)
      const mayUsePassword = credentials.hasPassword && isPasswordEnough(user, factors)
      const ways: WayToProve[] = mayUsePassword ? [...factors, 'password'] : factors
      return { ways, hasFactor: factors.length > 0 }
    },
  }
}

function secondFactorsIn({ hasPasskey, hasAppCodes }: { hasPasskey: boolean; hasAppCodes: boolean }): WayToProve[] {
  const factors: WayToProve[] = []
  if (hasPasskey) factors.push('passkey')
  if (hasAppCodes) factors.push('code')
  return factors
}
