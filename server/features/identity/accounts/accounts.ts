import type { Context } from '#server/context.ts'
import { type AccountEvents, createEmailChange } from './email-change.ts'
import { createGuests } from './guests.ts'
import { createLogin } from './login.ts'
import { createLoginLinks } from './login-links.ts'
import { createPasswords } from './passwords.ts'
import { createProfile } from './profile.ts'
import { createRoles } from './roles.ts'
import { createCorrections, createUsers } from './users.ts'

export { type Credentials, createAdmins } from './admins.ts'
export type { AccountEvents } from './email-change.ts'
export { createDeletion, createPersonalData } from './personal-data.ts'
export { setTradingViewUsername } from './profile.ts'

export type Accounts = ReturnType<typeof createAccounts>

export function createAccounts(
  context: Pick<
    Context,
    | 'attempts'
    | 'audit'
    | 'db'
    | 'isLinkToken'
    | 'linkToken'
    | 'mails'
    | 'now'
    | 'passwords'
    | 'queue'
    | 'refuseShopAddress'
    | 'securityLog'
  >,
  events: AccountEvents,
) {
  const { attempts } = context
  const passwords = createPasswords(context)
  const emailChange = createEmailChange(context, { ...events, passwordLinks: passwords })
  return {
    login: createLogin(context, passwords),
    loginLinks: createLoginLinks(context, passwords),
    passwords,
    emailChange,
    profile: createProfile(context, events),
    guests: createGuests(context, passwords),
    roles: createRoles(context, passwords),
    corrections: createCorrections(context, { ...events, passwordLinks: passwords }),
    users: createUsers(context, passwords),

    async forgetExpired() {
      await passwords.forgetExpired()
      await emailChange.forgetOldChanges()
      await attempts.forgetExpired()
    },
  }
}
