import type { accounts as contract } from '#contract/accounts.ts'
import type { Database } from '../../database/connect.ts'
import type { Handlers } from '../../http/mount.ts'
import type { Sessions } from '../../http/session.ts'
import type { Attempts } from '../../security/attempts.ts'
import type { Passwords } from '../../security/passwords.ts'
import type { Audit } from '../audit/audit.ts'
import type { Accounts } from './accounts.ts'
import { createDeletion } from './deletion.ts'
import { collectMyData } from './my-data.ts'
import { createUsers } from './users.ts'

type Dependencies = {
  db: Database
  now: () => Date
  accounts: Accounts
  sessions: Sessions
  passwords: Passwords
  attempts: Attempts
  audit: Audit
  endSubscriptionsOf(userId: string): Promise<void>
}

export function accountsRoutes(deps: Dependencies): Handlers<typeof contract> {
  const { db, accounts, sessions, audit } = deps
  const users = createUsers(deps)
  const deletion = createDeletion(deps)

  return {
    user: (_, { user }) => user,
    loginPage: () => '/auth',

    async login(input, { request, reply }) {
      const { user, proven } = await accounts.login(input)
      await sessions.begin(proven, request, reply)
      return user
    },

    async register(input, { request, reply }) {
      const { user, proven } = await accounts.register(input)
      await sessions.begin(proven, request, reply)
      return user
    },

    logout: (_, { request, reply }) => sessions.end(request, reply),

    async requestPasswordReset({ email }) {
      await accounts.requestReset(email)
      return { message: 'If an account exists with this email, you will receive a password reset link.' }
    },

    resetPassword: ({ token, newPassword }) => accounts.resetPassword(token, newPassword),

    profile: (_, { user }) => accounts.profile(user.id),
    updateProfile: (input, { user }) => accounts.updateProfile(user.id, input),

    async devices(_, { user, session }) {
      const devices = await sessions.devices(user.id)
      return devices.map((device) => ({ ...device, isCurrent: device.id === session.id }))
    },

    logoutDevice: ({ id }, { user }) => sessions.endOne(user.id, id),

    async logoutEverywhere(_, { user, request, reply }) {
      await sessions.endAll(user.id)
      await sessions.end(request, reply)
    },

    myData(_, { user, reply }) {
      reply.header('content-disposition', 'attachment; filename="my-data.json"')
      return collectMyData(db, user.id)
    },

    async deleteMyself({ password }, { user, request, reply }) {
      await deletion.byOneself(user, password)
      await sessions.end(request, reply)
    },

    adminList: (input) => users.list(input),

    adminAdd: (input, { user, request }) =>
      users.add(input, (tx) =>
        audit.record(tx, {
          actor: user,
          action: 'user.add',
          subject: input.email,
          detail: { isAdmin: input.isAdmin },
          ip: request.ip,
        }),
      ),

    adminDelete: ({ id }, { user, request }) =>
      deletion.byAdmin(user, id, (tx, email) =>
        audit.record(tx, { actor: user, action: 'user.delete', subject: email, ip: request.ip }),
      ),
  }
}
