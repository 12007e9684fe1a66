import { and, eq, isNull } from 'drizzle-orm'
import type { WayToProve } from '#contract/statuses.ts'
import type { Actor } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import { personOf } from '#server/database/people.ts'
import { userColumns, users } from '#server/database/schema.ts'
import { Refusal } from '#server/errors.ts'
import { hashToken } from '#server/security/tokens.ts'
import { type Authentication, endSessions, findKnownDevice, type LoginResult } from '../sessions/sessions.ts'
import { type CodeFromBrowser, type Codes, isAppCode, recovery } from './codes.ts'
import type { LostDevice } from './lost-device.ts'
import type { Notices } from './notices.ts'
import type { PasskeyLogin } from './passkey-login.ts'
import type { Policy } from './policy.ts'

type LoginContext = Pick<Context, 'db' | 'now' | 'secrets' | 'securityLog'>

/** The second step of a login, or the only step with a passkey. */
export type Logins = {
  /** Undefined if no factor must follow the password or the emailed link. */
  secondStepOf(login: LoginResult): Promise<{ next: WayToProve[]; pendingLoginToken: string } | undefined>
  withCode(actor: Actor<null>, pendingLoginToken: string | undefined, typed: CodeFromBrowser): Promise<LoginResult>
  withPasskey(actor: Actor<null>, response: Record<string, unknown>): Promise<LoginResult>
  /** Starts a reset of the factors after a correct password or an emailed link. */
  reportLostDevice(pendingLoginToken: string | undefined): Promise<void>
}

type LoginDeps = { policy: Policy; codes: Codes; passkeyLogin: PasskeyLogin; lostDevice: LostDevice; notices: Notices }

const loginExpired = () => new Refusal(401, 'login-required', 'Please log in again.')

export function createLogins(
  context: LoginContext,
  { policy, codes, passkeyLogin, lostDevice, notices }: LoginDeps,
): Logins {
  const { db, securityLog } = context
  const pendingLogins = createPendingLogins(context)

  async function findAccount(userId: string) {
    const [account] = await db
      .select({ passwordHash: users.passwordHash, handedOverAt: users.handedOverAt, user: userColumns })
      .from(users)
      .where(and(eq(users.id, userId), isNull(users.deletedAt)))
    if (!account) throw loginExpired()
    return account
  }

  /** Ends all sessions after a login with a recovery code, because a thief may have the lost device. */
  const endSessionsAfterRecovery = (userId: string) =>
    db.transaction(async (tx) => {
      await endSessions(tx, userId)
      await notices.mail(tx, userId, 'recoveryCodeUsed', { left: await recovery.countUnused(tx, userId) })
    })

  return {
    async secondStepOf({ user, authentication }) {
      const next = await policy.secondStepFactorsOf(user)
      return next.length > 0 ? { next, pendingLoginToken: pendingLogins.seal(authentication) } : undefined
    },

    async withCode(actor, pendingLoginToken, { code, device }) {
      const authentication = await pendingLogins.open(pendingLoginToken)
      const { user } = await findAccount(authentication.userId)
      const typed = { userId: user.id, code, device: await findKnownDevice(db, user.email, device) }
      const isFromApp = isAppCode(code)
      if (isFromApp) {
        await codes.useFromApp(actor, typed)
      } else {
        await codes.useForRecovery(actor, typed)
        await endSessionsAfterRecovery(user.id)
      }
      await lostDevice.stopFor(user.id)
      securityLog('login', { ...actor, user }, { step: isFromApp ? 'code' : 'recovery code' })
      return {
        user,
        authentication: { ...authentication, provenBy: isFromApp ? 'password and code' : 'recovery code' },
      }
    },

    async withPasskey(actor, response) {
      const { userId, createdAt: passkeyCreatedAt } = await passkeyLogin.verify(response)
      const { user, passwordHash, handedOverAt } = await findAccount(userId)
      const isOlderThanHandover = handedOverAt !== null && passkeyCreatedAt < handedOverAt
      // The mailbox's owner took the account over. Passkeys from before are refused until the owner chooses a password.
      if (isOlderThanHandover && passwordHash === null) throw loginExpired()
      await lostDevice.stopFor(user.id)
      securityLog('login', { ...actor, user }, { step: 'passkey' })
      return {
        user,
        authentication: { userId, passwordHash, handedOverAt, provenBy: 'passkey', refusalIfChanged: loginExpired },
      }
    },

    async reportLostDevice(pendingLoginToken) {
      const { userId } = await pendingLogins.open(pendingLoginToken)
      const { user } = await findAccount(userId)
      await lostDevice.request(user)
    },
  }
}

export const pendingLoginSeconds = 300

const pendingLoginExpired = () => new Refusal(401, 'timed-out', 'That took too long. Please log in again.')
const sealPurpose = 'half a login'

/** Sealed tokens that prove the first step of a login. */
function createPendingLogins({ db, now, secrets }: Pick<Context, 'db' | 'now' | 'secrets'>) {
  return {
    seal({ userId, passwordHash, handedOverAt }: Authentication): string {
      const expiresAt = now().getTime() + pendingLoginSeconds * 1000
      const passwordFingerprint = hashToken(passwordHash ?? '')
      return secrets.seal(
        JSON.stringify({ userId, password: passwordFingerprint, handedOverAt, ends: expiresAt }),
        sealPurpose,
      )
    },

    /** Throws if the token has expired or the password has changed since. */
    async open(token: string | undefined): Promise<Omit<Authentication, 'provenBy'>> {
      const { userId, password: passwordFingerprint, handedOverAt, ends } = parseToken(token)
      if (ends < now().getTime()) throw pendingLoginExpired()
      const { passwordHash } = await personOf(db, userId)
      if (hashToken(passwordHash ?? '') !== passwordFingerprint) throw pendingLoginExpired()
      return {
        userId,
        passwordHash,
        handedOverAt: handedOverAt === null ? null : new Date(handedOverAt),
        refusalIfChanged: pendingLoginExpired,
      }
    },
  }

  function parseToken(token = ''): { userId: string; password: string; handedOverAt: string | null; ends: number } {
    try {
      return JSON.parse(secrets.open(token, sealPurpose))
    } catch {
      throw pendingLoginExpired()
    }
  }
}
