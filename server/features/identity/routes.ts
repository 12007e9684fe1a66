import type { FastifyReply, FastifyRequest } from 'fastify'
import { resetRequested } from '#contract/forms.ts'
import type { contract } from '#contract/index.ts'
import { Refusal } from '#server/errors.ts'
import type { BeginSession, CheckoutCookie, SessionCookie } from '#server/http/cookies.ts'
import type { Handlers } from '#server/http/mount.ts'
import type { Accounts, Deletion, PersonalData } from './accounts/accounts.ts'
import { type Factors, halfLoginLifetime } from './factors/factors.ts'
import type { Authenticated, Sessions } from './sessions/sessions.ts'

type Contract = typeof contract

type Rooms = {
  accounts: Accounts
  deletion: Deletion
  sessions: Sessions
  beginSession: BeginSession<Authenticated>
  factors: Factors
  cookie: SessionCookie
  checkout: { forfeitNonce(nonce: string): Promise<void> }
  checkoutCookie: CheckoutCookie
  personalData: PersonalData
}

export function accountRoutes(rooms: Rooms): Handlers<Contract['accounts']> {
  const { accounts, deletion, sessions, beginSession, factors, cookie, checkout, checkoutCookie } = rooms

  async function logout(request: FastifyRequest, reply: FastifyReply) {
    const [token, nonce] = [cookie.read(request), checkoutCookie.read(request)]
    if (token) await sessions.end(token)
    if (nonce) await checkout.forfeitNonce(nonce)
    cookie.clear(reply)
    checkoutCookie.clear(reply)
  }

  return {
    user: (_input, { actor }) => actor.user && { ...actor.user, ...(actor.mustSetUp && { mustSetUp: true }) },
    loginPage: () => '/auth',

    async login(input, context) {
      const found = await accounts.login.login(context.actor, input)
      const second = await factors.logins.secondStepOf(found)
      if (second) {
        cookie.setHalf(context.reply, second.half, halfLoginLifetime)
        throw new Refusal(401, 'second-step-needed', 'One more step: please confirm that it’s you.', {
          next: second.next,
        })
      }
      await beginSession(found.authenticated, context)
      return found.user
    },

    async register(input, context) {
      const { user, authenticated } = await accounts.login.register(context.actor, input)
      await beginSession(authenticated, context)
      return user
    },

    logout: (_input, { request, reply }) => logout(request, reply),

    async requestPasswordReset({ email }, { actor }) {
      await accounts.passwords.requestReset(actor, email)
      return { message: resetRequested }
    },

    resetPassword: ({ token, newPassword }, { actor }) =>
      accounts.passwords.resetPassword(actor, token, newPassword),
    sendConfirmation: (_input, { actor }) => accounts.login.sendConfirmation(actor),
    confirmAddress: ({ token }, { actor }) => accounts.login.confirmAddress(actor, token),

    profile: (_input, { actor }) => accounts.profile.show(actor.user.id),
    updateProfile: (input, { actor }) => accounts.profile.update(actor, input),

    async devices(_input, { actor }) {
      const devices = await sessions.devices(actor.user.id)
      return devices.map((device) => ({ ...device, isCurrent: device.id === actor.sessionId }))
    },

    logoutDevice: ({ id }, { actor }) => sessions.endOne(actor, id),

    async logoutEverywhere(_input, { actor, request, reply }) {
      await sessions.endAll(actor)
      await logout(request, reply)
    },

    myData(_input, { actor, reply }) {
      reply.header('content-disposition', 'attachment; filename="my-data.json"')
      return rooms.personalData.of(actor.user.id)
    },

    async deleteMyself({ password }, { actor, request, reply }) {
      await deletion.byOneself(actor, password)
      await logout(request, reply)
    },

    adminList: (input) => accounts.users.list(input),
    adminAdd: (input, { actor }) => accounts.users.add(actor, input),
    adminDelete: ({ id }, { actor }) => deletion.byAdmin(actor, id),
  }
}

export const customerDataRoutes = (data: PersonalData): Handlers<Contract['customerData']> => ({
  adminDownload({ id }, { actor, reply }) {
    reply.header('content-disposition', 'attachment; filename="customer-data.json"')
    return data.forCustomer(actor, id)
  },
})

export const staffRoutes = (accounts: Accounts): Handlers<Contract['staff']> => ({
  adminSetRole: ({ id, role }, { actor }) => accounts.roles.setRole(actor, id, role),
})

export const credentialRoutes = ({
  accounts,
  sessions,
}: Pick<Rooms, 'accounts' | 'sessions'>): Handlers<Contract['credentials']> => ({
  changePassword: (input, { actor }) => accounts.passwords.changePassword(actor, input),
  changeEmail: ({ email }, { actor }) => accounts.emailChange.changeEmail(actor, email),
  confirmEmail: (link, { actor }) => accounts.emailChange.confirmEmail(link, actor),
  undoEmail: (link, { actor }) => accounts.emailChange.undoEmail(link, actor),
  logoutElsewhere: (_input, { actor }) => sessions.endOthers(actor),
})

export const stepUpRoutes = ({ stepUp }: Factors): Handlers<Contract['stepUp']> => ({
  withPassword: ({ password }, { actor }) => stepUp.withPassword(actor, password),
  withCode: ({ code }, { actor }) => stepUp.withCode(actor, code),
  withPasskey: ({ response }, { actor }) => stepUp.withPasskey(actor, response),
})

export const factorRoutes = ({ setUp }: Factors): Handlers<Contract['factors']> => ({
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

export function loginRoutes({
  factors,
  beginSession,
  cookie,
}: Pick<Rooms, 'factors' | 'beginSession' | 'cookie'>): Handlers<Contract['logins']> {
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
