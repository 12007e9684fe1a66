import type { FastifyReply, FastifyRequest } from 'fastify'
import { loginLinkRequested, resetRequested } from '#contract/forms.ts'
import { contract } from '#contract/index.ts'
import type { Context } from '#server/context.ts'
import type { Http } from '#server/http/mount.ts'
import { createDeletion, createPersonalData, type DeletionDeps, type ExportDeps } from './accounts/accounts.ts'
import type { Identity } from './identity.ts'

type RouteContext = Pick<Context, 'attempts' | 'audit' | 'db' | 'mails' | 'now' | 'passwordHasher' | 'securityLog'>
type LaterAreas = DeletionDeps & ExportDeps & { checkout: { forfeitNonce(nonce: string): Promise<void> } }

export function mountIdentity(http: Http, context: RouteContext, identity: Identity, laterAreas: LaterAreas) {
  const { mount, checkoutCookie } = http
  const { accounts, sessions, factors, cookies, beginSession } = identity
  const deletion = createDeletion(context, laterAreas)
  const personalData = createPersonalData(context, laterAreas)

  async function logout(request: FastifyRequest, reply: FastifyReply) {
    const token = cookies.session.read(request)
    const nonce = checkoutCookie.read(request)
    if (token) await sessions.end(token)
    if (nonce) await laterAreas.checkout.forfeitNonce(nonce)
    cookies.session.clear(reply)
    checkoutCookie.clear(reply)
  }

  mount(contract.accounts, {
    user: (_input, { actor: { user, mustSetUp } }) => (user && mustSetUp ? { ...user, mustSetUp } : user),
    loginPage: () => '/auth',

    async login(input, call) {
      return identity.logIn(await accounts.login.login(call.actor, input, cookies.device.read(call.request)), call)
    },

    async register(input, call) {
      const { user, authentication } = await accounts.login.register(call.actor, input)
      await beginSession(authentication, call)
      return user
    },

    logout: (_input, { request, reply }) => logout(request, reply),

    async requestPasswordReset({ email }) {
      await accounts.passwords.requestReset(email)
      return { message: resetRequested }
    },

    checkResetLink: ({ token }) => accounts.passwords.checkLink(token),

    async resetPassword({ token, newPassword }, call) {
      const login = await accounts.passwords.resetPassword(call.actor, token, newPassword)
      if (login && !(await factors.logins.secondStepOf(login))) await beginSession(login.authentication, call)
    },

    sendConfirmation: (_input, { actor }) => accounts.login.sendConfirmation(actor),
    confirmAddress: ({ token }, { actor }) => accounts.login.confirmAddress(actor, token),

    profile: (_input, { actor }) => accounts.profile.show(actor.user.id),
    updateProfile: (input, { actor, assertFresh }) => accounts.profile.update(actor, input, assertFresh),

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
      return personalData.collect(actor.user.id)
    },

    async deleteMyself({ password }, { actor, request, reply }) {
      await deletion.byOneself(actor, password)
      await logout(request, reply)
    },
  })
  mount(contract.accountsAdmin, {
    list: (input) => accounts.users.list(input),
    add: (input, { actor }) => accounts.users.add(actor, input),
    delete: ({ id }, { actor }) => deletion.byAdmin(actor, id),
  })

  mountFactors(http, identity)

  mount(contract.customerData, {
    adminDownload({ id }, { actor, reply }) {
      reply.header('content-disposition', 'attachment; filename="customer-data.json"')
      return personalData.forCustomer(actor, id)
    },
  })
}

/** Copies the object, because TypeScript does not assign an interface to a record. */
const toRecord = (options: object): Record<string, unknown> => ({ ...options })

function mountFactors({ mount }: Http, identity: Identity) {
  const { accounts, sessions, factors, cookies, beginSession } = identity
  const { logins, lostDevice, passkeyOptions, setUp, stepUp } = factors
  mount(contract.logins, {
    async withCode({ code }, call) {
      const pendingLoginToken = cookies.pendingLogin.read(call.request)
      const typed = { code, device: cookies.device.read(call.request) }
      const { user, authentication } = await logins.withCode(call.actor, pendingLoginToken, typed)
      await beginSession(authentication, call)
      return user
    },

    async requestLink({ email, returnPath }) {
      await accounts.loginLinks.request(email, returnPath)
      return { message: loginLinkRequested }
    },

    withLink: async ({ token }, call) => identity.logIn(await accounts.loginLinks.logIn(call.actor, token), call),

    passkeyOptions: async () => toRecord(await passkeyOptions()),

    async withPasskey({ response }, call) {
      const { user, authentication } = await logins.withPasskey(call.actor, response)
      await beginSession(authentication, call)
      return user
    },

    lostDevice: (_input, { request }) => logins.reportLostDevice(cookies.pendingLogin.read(request)),
    stopReset: (link) => lostDevice.stop(link),
    finishReset: (link) => lostDevice.finish(link),
  })

  mount(contract.stepUp, {
    withPassword: ({ password }, { actor }) => stepUp.withPassword(actor, password),
    withCode: ({ code }, { actor, request }) => stepUp.withCode(actor, { code, device: cookies.device.read(request) }),
    withPasskey: ({ response }, { actor }) => stepUp.withPasskey(actor, response),
  })

  mount(contract.factors, {
    show: (_input, { actor }) => setUp.show(actor),
    beginAppCodes: (_input, { actor }) => setUp.beginAppCodes(actor),
    confirmAppCodes: (input, { actor }) => setUp.confirmAppCodes(actor, input),
    removeAppCodes: (_input, { actor }) => setUp.removeAppCodes(actor),
    renewRecoveryCodes: (_input, { actor }) => setUp.renewRecoveryCodes(actor),
    beginPasskey: async (_input, { actor }) => toRecord(await setUp.beginPasskey(actor)),
    addPasskey: ({ name, response }, { actor }) => setUp.addPasskey(actor, name, response),
    renamePasskey: ({ id, name }, { actor }) => setUp.renamePasskey(actor, id, name),
    removePasskey: ({ id }, { actor }) => setUp.removePasskey(actor, id),
  })

  mount(contract.credentials, {
    changePassword: (input, { actor }) => accounts.passwords.changePassword(actor, input),
    changeEmail: ({ email }, { actor }) => accounts.emailChange.requestChange(actor, email),
    confirmEmail: (link, { actor }) => accounts.emailChange.confirmEmail(link, actor),
    undoEmail: (link, { actor }) => accounts.emailChange.undoEmail(link, actor),
    logoutElsewhere: (_input, { actor }) => sessions.endOthers(actor),
  })

  mount(contract.staff, { adminSetRole: ({ id, role }, { actor }) => accounts.roles.setRole(actor, id, role) })
}
