import { contract } from '#contract/index.ts'
import type { Context } from '#server/context.ts'
import { createBeginSession, createSessionCookie } from '#server/http/cookies.ts'
import type { Doors } from '#server/http/mount.ts'
import type { Schedules } from '#server/jobs/queue.ts'
import { createEmailQuestions } from '#server/security/email-questions.ts'
import {
  type AccountEvents,
  createAccounts,
  createDeletion,
  createPersonalData,
} from './accounts/accounts.ts'
import { createFactors } from './factors/factors.ts'
import {
  accountRoutes,
  credentialRoutes,
  customerDataRoutes,
  factorRoutes,
  loginRoutes,
  staffRoutes,
  stepUpRoutes,
} from './routes.ts'
import { createSessions, sessionDays } from './sessions/sessions.ts'

/** What the calls of this wing need of the others, about people who ask for their data or leave. */
type Others = Parameters<typeof createDeletion>[1] &
  Parameters<typeof createPersonalData>[1] & { checkout: { forfeitNonce(nonce: string): Promise<void> } }

export type Identity = ReturnType<typeof openIdentity>

/** Who people are. */
export function openIdentity(context: Context, events: AccountEvents) {
  const { config, log } = context
  const questions = createEmailQuestions({ ...context, isOn: config.rateLimits })
  const sessions = createSessions(context)
  const cookie = createSessionCookie({ secure: config.secure, days: sessionDays })
  const beginSession = createBeginSession({ sessions, cookie })
  const factors = createFactors(context, { sessions })
  const accounts = createAccounts(context, { ...events, questions })
  const schedules: Schedules = {
    'tell-of-commands': { cron: '*/5 * * * *', run: accounts.roles.tellOfCommands },
    'tidy-accounts': { cron: '17 3 * * *', run: accounts.forgetExpired },
    'forget-expired-sessions': { cron: '17 3 * * *', run: sessions.forgetExpired },
    'send-factor-resets': { cron: '*/10 * * * *', run: factors.lostDevice.sendDue },
    'forget-factor-resets': { cron: '27 3 * * *', run: factors.lostDevice.forgetOld },
  }

  return {
    questions,
    sessions,
    cookie,
    beginSession,
    factors,
    accounts,
    schedules: [schedules],

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

    mount({ mount, checkoutCookie }: Doors, others: Others) {
      const { checkout } = others
      const deletion = createDeletion(context, others)
      const personalData = createPersonalData(context, others)
      const own = { accounts, sessions, factors, deletion, personalData }
      mount(contract.accounts, accountRoutes({ ...own, beginSession, cookie, checkout, checkoutCookie }))
      mount(contract.logins, loginRoutes({ ...own, beginSession, cookie }))
      mount(contract.stepUp, stepUpRoutes(factors))
      mount(contract.factors, factorRoutes(factors))
      mount(contract.credentials, credentialRoutes(own))
      mount(contract.staff, staffRoutes(accounts))
      mount(contract.customerData, customerDataRoutes(personalData))
    },
  }
}
