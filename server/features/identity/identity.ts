import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Actor, User } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import { Refusal } from '#server/errors.ts'
import { type Cookie, createCookie, signed } from '#server/http/cookies.ts'
import type { Schedules } from '#server/jobs/queue.ts'
import { randomToken } from '#server/security/tokens.ts'
import { type AccountEvents, type Accounts, createAccounts } from './accounts/accounts.ts'
import { createFactors, type Factors, pendingLoginSeconds } from './factors/factors.ts'
import {
  type Authentication,
  createSessions,
  type LoginResult,
  type Sessions,
  sessionDays,
} from './sessions/sessions.ts'

type IdentityContext = Pick<
  Context,
  | 'attempts'
  | 'audit'
  | 'config'
  | 'db'
  | 'isLinkToken'
  | 'linkToken'
  | 'log'
  | 'mails'
  | 'now'
  | 'passwordHasher'
  | 'queue'
  | 'refuseShopAddress'
  | 'secrets'
  | 'securityLog'
>

export type Identity = {
  sessions: Sessions
  cookies: { session: Cookie; pendingLogin: Cookie; device: Cookie }
  beginSession(authentication: Authentication, call: Call): Promise<void>
  /** Begins the session. Throws the refusal `second-step-needed` if a second factor must follow. */
  logIn(login: LoginResult, call: Call): Promise<User>
  factors: Factors
  accounts: Accounts
  schedules: Schedules
  /** Warns about passkeys of another host, in the background. A failure does not stop the start. */
  prepare(): void
}

/** Browsers keep no cookie longer than 400 days. */
const deviceCookieDays = 400

type Call = { actor: Actor<User | null>; request: FastifyRequest; reply: FastifyReply }

export function openIdentity(context: IdentityContext, events: AccountEvents): Identity {
  const { config, log } = context
  const sessions = createSessions(context)
  const { secure } = config
  const cookies = {
    session: createCookie('session', { secure, seconds: sessionDays * 86_400 }),
    pendingLogin: createCookie('half-login', { secure, seconds: pendingLoginSeconds }),
    /** Recognizes a browser at its next login, so that strangers' attempts can't lock it out. */
    device: signed('device', createCookie('device', { secure, seconds: deviceCookieDays * 86_400 }), context),
  }

  async function beginSession(authentication: Authentication, { actor, request, reply }: Call) {
    const device = cookies.device.read(request) ?? randomToken()
    cookies.device.set(reply, device)
    const oldToken = cookies.session.read(request)
    cookies.session.set(reply, await sessions.begin({ ...actor, device }, authentication, oldToken))
    if (cookies.pendingLogin.read(request)) cookies.pendingLogin.clear(reply)
  }

  const factors = createFactors(context, { sessions })
  const accounts = createAccounts(context, events)

  async function logIn(login: LoginResult, call: Call) {
    const secondStep = await factors.logins.secondStepOf(login)
    if (secondStep) {
      cookies.pendingLogin.set(call.reply, secondStep.pendingLoginToken)
      throw new Refusal(401, 'second-step-needed', 'One more step: please confirm that it’s you.', {
        next: secondStep.next,
      })
    }
    await beginSession(login.authentication, call)
    return login.user
  }

  const schedules: Schedules = {
    'tell-of-commands': { cron: '*/5 * * * *', run: accounts.roles.mailAboutServerCommands },
    'tidy-accounts': { cron: '17 3 * * *', run: accounts.forgetExpired },
    'forget-expired-sessions': { cron: '17 3 * * *', run: sessions.forgetExpired },
    'send-factor-resets': { cron: '*/10 * * * *', run: factors.lostDevice.sendDue },
    'forget-factor-resets': { cron: '27 3 * * *', run: factors.lostDevice.forgetOld },
  }

  return {
    sessions,
    cookies,
    beginSession,
    logIn,
    factors,
    accounts,
    schedules,

    prepare() {
      factors
        .countPasskeysOfOtherHosts()
        .then((count) => {
          if (count > 0)
            log.warn(
              `${count} passkeys were made for another host than PUBLIC_URL's and don't work here. People can log in with their password and make new ones.`,
            )
        })
        .catch((error: unknown) => log.error({ err: error }, 'could not look for passkeys of another host'))
    },
  }
}
