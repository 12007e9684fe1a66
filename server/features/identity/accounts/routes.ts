import type { FastifyReply, FastifyRequest } from 'fastify'
import type { accounts as contract } from '#contract/identity/accounts.ts'
import type { credentials } from '#contract/identity/credentials.ts'
import type { customerData } from '#contract/identity/customer-data.ts'
import type { staff } from '#contract/identity/staff.ts'
import { resetRequested } from '#contract/plain-forms.ts'
import { Refusal } from '#server/errors.ts'
import type { BeginSession } from '#server/http/begin-session.ts'
import type { CheckoutCookie } from '#server/http/checkout-cookie.ts'
import type { Handlers } from '#server/http/mount.ts'
import type { SessionCookie } from '#server/http/session-cookie.ts'
import { type Factors, halfLoginLifetime } from '../factors/factors.ts'
import type { Authenticated, Sessions } from '../sessions/sessions.ts'
import type { Accounts } from './accounts.ts'
import type { CustomerData } from './customer-data.ts'
import type { Deletion } from './deletion.ts'
import { collectMyData } from './my-data.ts'

type Dependencies = {
  accounts: Accounts
  deletion: Deletion
  sessions: Sessions
  beginSession: BeginSession<Authenticated>
  factors: Factors
  cookie: SessionCookie
  checkout: { forfeitNonce(nonce: string): Promise<void> }
  checkoutCookie: CheckoutCookie
  /** Every room that holds personal data, including this one. */
  personalData: Parameters<typeof collectMyData>[0]
}

export function accountRoutes(deps: Dependencies): Handlers<typeof contract> {
  const { accounts, deletion, sessions, beginSession, factors, cookie, checkout, checkoutCookie } = deps

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
      const found = await accounts.login(context.actor, input)
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
      const { user, authenticated } = await accounts.register(context.actor, input)
      await beginSession(authenticated, context)
      return user
    },

    logout: (_input, { request, reply }) => logout(request, reply),

    async requestPasswordReset({ email }, { actor }) {
      await accounts.requestReset(actor, email)
      return { message: resetRequested }
    },

    resetPassword: ({ token, newPassword }, { actor }) => accounts.resetPassword(actor, token, newPassword),
    sendConfirmation: (_input, { actor }) => accounts.sendConfirmation(actor),
    confirmAddress: ({ token }, { actor }) => accounts.confirmAddress(actor, token),

    profile: (_input, { actor }) => accounts.profile(actor.user.id),
    updateProfile: (input, { actor }) => accounts.updateProfile(actor, input),

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
      return collectMyData(deps.personalData, actor.user.id)
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

export const customerDataRoutes = (data: CustomerData): Handlers<typeof customerData> => ({
  adminDownload({ id }, { actor, reply }) {
    reply.header('content-disposition', 'attachment; filename="customer-data.json"')
    return data.collect(actor, id)
  },
})

export const staffRoutes = (accounts: Accounts): Handlers<typeof staff> => ({
  adminSetRole: ({ id, role }, { actor }) => accounts.setRole(actor, id, role),
})

export const credentialRoutes = ({
  accounts,
  sessions,
}: Pick<Dependencies, 'accounts' | 'sessions'>): Handlers<typeof credentials> => ({
  changePassword: (input, { actor }) => accounts.changePassword(actor, input),
  changeEmail: ({ email }, { actor }) => accounts.changeEmail(actor, email),
  confirmEmail: (link, { actor }) => accounts.confirmEmail(link, actor),
  undoEmail: (link, { actor }) => accounts.undoEmail(link, actor),
  logoutElsewhere: (_input, { actor }) => sessions.endOthers(actor),
})
