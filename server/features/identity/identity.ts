import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Actor, User } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import { Refusal } from '#server/errors.ts'
import { type Cookie, createCookie, signed } from '#server/http/cookies.ts'
import type { Schedules } from '#server/jobs/queue.ts'
import { randomToken } from '#server/security/tokens.ts'
import { type AccountEvents, type Accounts, createAccounts } from './accounts/accounts.ts'
import { createFactors, type Factors, halfLoginLifetime } from './factors/factors.ts'
import { type Authenticated, createSessions, type LoggedIn, type Sessions, sessionDays } from './sessions/sessions.ts'

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
  | 'passwords'
  | 'queue'
  | 'refuseShopAddress'
  | 'secrets'
  | 'securityLog'
>

export type Identity = {
  sessions: Sessions
  cookies: { session: Cookie; halfLogin: Cookie; device: Cookie }
  beginSession(authenticated: Authenticated, call: Call): Promise<void>
  /** Begins the session, or throws what must follow first. */
  logIn(found: LoggedIn, call: Call): Promise<User>
  factors: Factors
  accounts: Accounts
  schedules: Schedules
  /** Runs in the background; a failure does not stop the start. */
  prepare(): void
}

type Call = { actor: Actor<User | null>; request: FastifyRequest; reply: FastifyReply }

export function openIdentity(context: IdentityContext, events: AccountEvents): Identity {
  const { config, log } = context
  const sessions = createSessions(context)
  const { secure } = config
  const cookies = {
    session: createCookie('session', { secure, seconds: sessionDays * 86_400 }),
    halfLogin: createCookie('half-login', { secure, seconds: halfLoginLifetime }),
    /** Recognizes a browser at its next login, so that strangers' attempts can't lock it out. 400 days is the browsers' maximum. */
    device: signed('device', createCookie('device', { secure, seconds: 400 * 86_400 }), context),
  }

  async function beginSession(authenticated: Authenticated, { actor, request, reply }: Call) {
    const device = cookies.device.read(request) ?? randomToken()
    cookies.device.set(reply, device)
    const oldToken = cookies.session.read(request)
    cookies.session.set(reply, await sessions.begin({ ...actor, device }, authenticated, oldToken))
    if (cookies.halfLogin.read(request)) cookies.halfLogin.clear(reply)
  }

  const factors = createFactors(context, { sessions })
  const accounts = createAccounts(context, events)

  async function logIn(found: LoggedIn, call: Call) {
    const second = await factors.logins.secondStepOf(found)
    if (second) {
      cookies.halfLogin.set(call.reply, second.half)
      throw new Refusal(401, 'second-step-needed', 'One more step: please confirm that it’s you.', {
        next: second.next,
      })
    }
    await beginSession(found.authenticated, call)
    return found.user
  }
  const schedules: Schedules = {
    'tell-of-commands': { cron: '*/5 * * * *', run: accounts.roles.tellOfCommands },
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
