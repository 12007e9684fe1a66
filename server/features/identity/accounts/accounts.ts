import type { Context } from '#server/context.ts'
import { type AccountEvents, createEmailChange, type EmailChange } from './email-change.ts'
import { createGuests, type Guests } from './guests.ts'
import { createLogin, type Login } from './login.ts'
import { createLoginLinks, type LoginLinks } from './login-links.ts'
import { createPasswords, type Passwords } from './passwords.ts'
import { createProfile, type Profile } from './profile.ts'
import { createRoles, type Roles } from './roles.ts'
import { type CustomerHelp, createCustomerHelp, createUsers, type Users } from './users.ts'

export { type Credentials, createAdmins } from './admins.ts'
export type { AccountEvents } from './email-change.ts'
export { createDeletion, createPersonalData, type DeletionDeps, type ExportDeps } from './personal-data.ts'
export { setTradingViewUsername } from './profile.ts'

type AccountContext = Pick<
  Context,
  | 'attempts'
  | 'audit'
  | 'db'
  | 'isLinkToken'
  | 'linkToken'
  | 'mails'
  | 'now'
  | 'passwordHasher'
  | 'queue'
  | 'refuseShopAddress'
  | 'securityLog'
>

export type Accounts = {
  login: Login
  loginLinks: LoginLinks
  passwords: Passwords
  emailChange: EmailChange
  profile: Profile
  guests: Guests
  roles: Roles
  customerHelp: CustomerHelp
  users: Users
  forgetExpired(): Promise<void>
}

export function createAccounts(context: AccountContext, events: AccountEvents): Accounts {
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
    customerHelp: createCustomerHelp(context, { ...events, passwordLinks: passwords }),
    users: createUsers(context, passwords),

    async forgetExpired() {
      await passwords.forgetExpired()
      await emailChange.forgetOldChanges()
      await attempts.forgetExpired()
    },
  }
}
