import type { Context } from '#server/context.ts'
import { createBeginSession, createSessionCookie } from '#server/http/cookies.ts'
import type { Schedules } from '#server/jobs/queue.ts'
import { type AccountEvents, createAccounts } from './accounts/accounts.ts'
import { createFactors } from './factors/factors.ts'
import { createSessions, sessionDays } from './sessions/sessions.ts'

export type Identity = ReturnType<typeof openIdentity>

/** Who people are. */
export function openIdentity(context: Context, events: AccountEvents) {
  const { config, log } = context
  const sessions = createSessions(context)
  const cookie = createSessionCookie({ secure: config.secure, days: sessionDays })
  const beginSession = createBeginSession({ sessions, cookie })
  const factors = createFactors(context, { sessions })
  const accounts = createAccounts(context, events)
  const schedules: Schedules = {
    'tell-of-commands': { cron: '*/5 * * * *', run: accounts.roles.tellOfCommands },
    'tidy-accounts': { cron: '17 3 * * *', run: accounts.forgetExpired },
    'forget-expired-sessions': { cron: '17 3 * * *', run: sessions.forgetExpired },
    'send-factor-resets': { cron: '*/10 * * * *', run: factors.lostDevice.sendDue },
    'forget-factor-resets': { cron: '27 3 * * *', run: factors.lostDevice.forgetOld },
  }

  return {
    sessions,
    cookie,
    beginSession,
    factors,
    accounts,
    schedules,

    /** Not awaited: startup must not depend on it. */
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
