import { eq } from 'drizzle-orm'
import type { Context } from '#server/context.ts'
import { appCodes as appCodeRows, passkeys as passkeyRows } from '#server/database/schema.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { createAppCodes } from './app-codes.ts'
import { createChallenges } from './challenges.ts'
import { createCodes, recovery } from './codes.ts'
import { createLogins } from './logins.ts'
import { createLostDevice } from './lost-device.ts'
import { createNotices } from './notices.ts'
import { createPasskeyLogin } from './passkey-login.ts'
import { createPasskeys } from './passkeys.ts'
import { createPolicy } from './policy.ts'
import { createSetUp } from './set-up.ts'
import { createStepUp } from './step-up.ts'

export { resealAppCodes } from './app-codes.ts'
export { halfLoginLifetime } from './logins.ts'
export { removeFactors, removeFactorsSince } from './lost-device.ts'
export { codeAt } from './totp.ts'

export type Factors = ReturnType<typeof createFactors>

/** What shows who someone is, besides the password: passkeys, codes from an app, recovery codes. */
export function createFactors(context: Context, { sessions }: { sessions: Sessions }) {
  const { db } = context
  const policy = createPolicy(context)
  const notices = createNotices(context)
  const challenges = createChallenges(context)
  const passkeys = createPasskeys(context, challenges)
  const passkeyLogin = createPasskeyLogin(context, challenges)
  const appCodes = createAppCodes(context)
  const codes = createCodes(context, appCodes)
  const lostDevice = createLostDevice(context, notices)
  return {
    waysToProve: policy.waysToProve,
    passkeyOptions: passkeyLogin.options,
    countPasskeysOfOtherHosts: passkeys.countOfOtherHosts,
    lostDevice,
    setUp: createSetUp(context, { sessions, policy, appCodes, passkeys, notices }),
    stepUp: createStepUp(context, { sessions, policy, codes, passkeyLogin }),
    logins: createLogins(context, { policy, codes, passkeyLogin, lostDevice, notices }),

    /** Without anything that could be used to log in. */
    async dataOf(userId: string) {
      const keys = await db
        .select({
          name: passkeyRows.name,
          host: passkeyRows.host,
          isSynced: passkeyRows.isSynced,
          createdAt: passkeyRows.createdAt,
          lastUsedAt: passkeyRows.lastUsedAt,
        })
        .from(passkeyRows)
        .where(eq(passkeyRows.userId, userId))
      const [app] = await db
        .select({ since: appCodeRows.createdAt })
        .from(appCodeRows)
        .where(eq(appCodeRows.userId, userId))
      return {
        secondFactors: {
          passkeys: keys,
          appCodesSince: app?.since ?? null,
          recoveryCodesLeft: await recovery.left(db, userId),
        },
      }
    },
  }
}
