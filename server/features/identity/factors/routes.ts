import type { factors as factorRows } from '#contract/identity/factors.ts'
import type { logins as loginRows } from '#contract/identity/logins.ts'
import type { stepUp as stepUpRows } from '#contract/identity/step-up.ts'
import type { BeginSession } from '#server/http/begin-session.ts'
import type { Handlers } from '#server/http/mount.ts'
import type { SessionCookie } from '#server/http/session-cookie.ts'
import type { Authenticated } from '../sessions/sessions.ts'
import type { Factors } from './factors.ts'

export const stepUpRoutes = ({ stepUp }: Factors): Handlers<typeof stepUpRows> => ({
  withPassword: ({ password }, { actor }) => stepUp.withPassword(actor, password),
  withCode: ({ code }, { actor }) => stepUp.withCode(actor, code),
  withPasskey: ({ response }, { actor }) => stepUp.withPasskey(actor, response),
})

export const factorRoutes = ({ setUp }: Factors): Handlers<typeof factorRows> => ({
  show: (_input, { actor }) => setUp.show(actor),
  beginAppCodes: (_input, { actor }) => setUp.beginAppCodes(actor),
  confirmAppCodes: (input, { actor }) => setUp.confirmAppCodes(actor, input),
  removeAppCodes: (_input, { actor }) => setUp.removeAppCodes(actor),
  renewRecoveryCodes: (_input, { actor }) => setUp.renewRecoveryCodes(actor),
  beginPasskey: async (_input, { actor }) => ({ ...(await setUp.beginPasskey(actor)) }),
  addPasskey: ({ name, response }, { actor }) => setUp.addPasskey(actor, name, response),
  renamePasskey: ({ id, name }, { actor }) => setUp.renamePasskey(actor, id, name),
  removePasskey: ({ id }, { actor }) => setUp.removePasskey(actor, id),
})

type LoginDependencies = {
  factors: Factors
  beginSession: BeginSession<Authenticated>
  cookie: SessionCookie
}

export function loginRoutes({
  factors,
  beginSession,
  cookie,
}: LoginDependencies): Handlers<typeof loginRows> {
  const { logins, lostDevice, passkeyOptions } = factors

  return {
    async withCode({ code }, context) {
      const { user, authenticated } = await logins.withCode(
        context.actor,
        cookie.readHalf(context.request),
        code,
      )
      await beginSession(authenticated, context)
      return user
    },

    passkeyOptions: async () => ({ ...(await passkeyOptions()) }),

    async withPasskey({ response }, context) {
      const { user, authenticated } = await logins.withPasskey(context.actor, response)
      await beginSession(authenticated, context)
      return user
    },

    lostDevice: (_input, { request }) => logins.lost(cookie.readHalf(request)),
    stopReset: (link) => lostDevice.stop(link),
    finishReset: (link) => lostDevice.finish(link),
  }
}
