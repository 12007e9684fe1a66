import type { Context } from '#server/context.ts'
import type { EmailQuestions } from '#server/security/email-questions.ts'
import { type AccountEvents, createEmailChange } from './email-change.ts'
import { createGuests } from './guests.ts'
import { createLogin } from './login.ts'
import { createPasswords } from './passwords.ts'
import { createProfile } from './profile.ts'
import { createRoles } from './roles.ts'
import { createCorrections, createUsers } from './users.ts'

export { type Credentials, createAdmins } from './admins.ts'
export type { AccountEvents } from './email-change.ts'
export { createDeletion, createPersonalData } from './personal-data.ts'
export { setTradingViewUsername } from './profile.ts'

export type Accounts = ReturnType<typeof createAccounts>

type Others = AccountEvents & { questions: EmailQuestions }

/** People's accounts: how they come to be, who may use them, and how they change hands. */
export function createAccounts(context: Context, others: Others) {
  const { attempts } = context
  const { questions } = others
  const passwords = createPasswords(context)
  const emailChange = createEmailChange(context, { ...others, passwordLinks: passwords })
  return {
    login: createLogin(context, { questions, passwordLinks: passwords }),
    passwords,
    emailChange,
    profile: createProfile(context, others),
    guests: createGuests(context, passwords),
    roles: createRoles(context),
    corrections: createCorrections(context, { ...others, passwordLinks: passwords }),
    users: createUsers(context, passwords),

    async forgetExpired() {
      await passwords.forgetExpired()
      await emailChange.forgetOldChanges()
      await attempts.forgetExpired()
      await questions.forgetExpired()
    },
  }
}
