import { and, eq, isNull } from 'drizzle-orm'
import type { WayToProve } from '#contract/statuses.ts'
import type { Actor } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import { personOf } from '#server/database/people.ts'
import { userColumns, users } from '#server/database/schema.ts'
import { Refusal } from '#server/errors.ts'
import { hashToken } from '#server/security/tokens.ts'
import { type Authenticated, endSessions, knownDevice, type LoggedIn } from '../sessions/sessions.ts'
import { type Codes, isFromApp, recovery } from './codes.ts'
import type { LostDevice } from './lost-device.ts'
import type { Notices } from './notices.ts'
import type { PasskeyLogin } from './passkey-login.ts'
import type { Policy } from './policy.ts'

type LoginContext = Pick<Context, 'db' | 'now' | 'secrets' | 'securityLog'>

/** The second step of a login, or the only step with a passkey. */
export type Logins = {
  /** Factors that must follow the password or the emailed link, with the token of the half login. Undefined if none must. */
  secondStepOf(login: LoggedIn): Promise<{ next: WayToProve[]; half: string } | undefined>
  withCode(actor: Actor<null>, half: string | undefined, code: string): Promise<LoggedIn>
  withPasskey(actor: Actor<null>, response: Record<string, unknown>): Promise<LoggedIn>
  /** Starts a reset of the factors after a correct password or an emailed link. */
  lost(half: string | undefined): Promise<void>
}

type LoginDeps = { policy: Policy; codes: Codes; passkeyLogin: PasskeyLogin; lostDevice: LostDevice; notices: Notices }

const loginExpired = () => new Refusal(401, 'login-required', 'Please log in again.')

export function createLogins(
  context: LoginContext,
  { policy, codes, passkeyLogin, lostDevice, notices }: LoginDeps,
): Logins {
  const { db, securityLog } = context
  const halfLogin = createHalfLogin(context)

  async function find(userId: string) {
    const [found] = await db
      .select({ passwordHash: users.passwordHash, handedOverAt: users.handedOverAt, user: userColumns })
      .from(users)
      .where(and(eq(users.id, userId), isNull(users.deletedAt)))
    if (!found) throw loginExpired()
    return found
  }

  /** Ends all sessions after a recovery code, because a thief may have the device. */
  const recovered = (userId: string) =>
    db.transaction(async (tx) => {
      await endSessions(tx, userId)
      await notices.tell(tx, userId, 'recoveryCodeUsed', { left: await recovery.countUnused(tx, userId) })
    })

  return {
    async secondStepOf({ user, authenticated }) {
      const next = await policy.nextStepOf(user)
      return next.length > 0 ? { next, half: halfLogin.begin(authenticated) } : undefined
    },

    async withCode(actor, half, code) {
      const authenticated = await halfLogin.read(half)
      const { user } = await find(authenticated.userId)
      const device = await knownDevice(db, user.email, actor.device)
      const typed = { userId: user.id, code, device }
      const fromApp = isFromApp(code)
      if (fromApp) await codes.useFromApp(actor, typed)
      else await codes.useForRecovery(actor, typed)
      if (!fromApp) await recovered(user.id)
      await lostDevice.stopFor(user.id)
      securityLog('login', { ...actor, user }, { step: fromApp ? 'code' : 'recovery code' })
      return { user, authenticated: { ...authenticated, provenBy: fromApp ? 'password and code' : 'recovery code' } }
    },

    async withPasskey(actor, response) {
      const { userId, createdAt } = await passkeyLogin.verify(response)
      const { user, passwordHash, handedOverAt } = await find(userId)
      // Passkeys from before the handover work again only after the mailbox's owner has chosen a password.
      if (passwordHash === null && handedOverAt && createdAt < handedOverAt) throw loginExpired()
      await lostDevice.stopFor(user.id)
      securityLog('login', { ...actor, user }, { step: 'passkey' })
      return { user, authenticated: { userId, passwordHash, handedOverAt, provenBy: 'passkey', refusal: loginExpired } }
    },

    async lost(half) {
      const { userId } = await halfLogin.read(half)
      const { user } = await find(userId)
      await lostDevice.request(user)
    },
  }
}

/** In seconds. */
export const halfLoginLifetime = 300

const halfLoginExpired = () => new Refusal(401, 'timed-out', 'That took too long. Please log in again.')
const purpose = 'half a login'

/** Sealed token of a finished first step (password or emailed link). Valid for 5 minutes, for the second step only. */
function createHalfLogin({ db, now, secrets }: Pick<Context, 'db' | 'now' | 'secrets'>) {
  return {
    begin({ userId, passwordHash, handedOverAt }: Authenticated): string {
      const expiresAt = now().getTime() + halfLoginLifetime * 1000
      const password = hashToken(passwordHash ?? '')
      return secrets.seal(JSON.stringify({ userId, password, handedOverAt, ends: expiresAt }), purpose)
    },

    /** Throws if the password has changed since. */
    async read(token: string | undefined): Promise<Omit<Authenticated, 'provenBy'>> {
      const { userId, password, handedOverAt, ends } = open(token)
      if (ends < now().getTime()) throw halfLoginExpired()
      const { passwordHash } = await personOf(db, userId)
      if (hashToken(passwordHash ?? '') !== password) throw halfLoginExpired()
      return {
        userId,
        passwordHash,
        handedOverAt: handedOverAt === null ? null : new Date(handedOverAt),
        refusal: halfLoginExpired,
      }
    },
  }

  function open(token = ''): { userId: string; password: string; handedOverAt: string | null; ends: number } {
    try {
      return JSON.parse(secrets.open(token, purpose))
    } catch {
      throw halfLoginExpired()
    }
  }
}
