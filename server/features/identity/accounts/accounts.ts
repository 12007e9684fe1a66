import type { Audit } from '#server/audit/audit.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import type { Queue } from '#server/jobs/queue.ts'
import type { Mails } from '#server/mails/mails.ts'
import type { Attempts } from '#server/security/attempts.ts'
import type { EmailQuestions } from '#server/security/email-questions.ts'
import type { Passwords } from '#server/security/passwords.ts'
import type { Secrets } from '#server/security/secrets.ts'
import type { SecurityLog } from '#server/security/security-log.ts'
import type { RefuseShopAddress } from '#server/security/shop-addresses.ts'
import { createCommandNotices } from './command-notices.ts'
import { createConfirmation } from './confirmation.ts'
import { createCorrections } from './corrections.ts'
import { createEmailChange } from './email-change.ts'
import { createGuests } from './guests.ts'
import { createLogin } from './login.ts'
import { createPasswordChange } from './password-change.ts'
import { createPasswordLinks } from './password-links.ts'
import { createPersonalData } from './personal-data.ts'
import { createProfile } from './profile.ts'
import { createRoles } from './roles.ts'
import { createUsers } from './users.ts'

export { type Credentials, createAdmins } from './admins.ts'
export { type CustomerData, createCustomerData } from './customer-data.ts'
export { createDeletion, type Deletion } from './deletion.ts'
export { collectMyData } from './my-data.ts'
export { deletedEmail } from './personal-data.ts'

export type Accounts = ReturnType<typeof createAccounts>

type Dependencies = {
  db: Database
  now: () => Date
  mails: Mails
  queue: Queue
  audit: Audit
  passwords: Passwords
  attempts: Attempts
  questions: EmailQuestions
  securityLog: SecurityLog
  refuseShopAddress: RefuseShopAddress
  linkToken: Secrets['linkToken']
  isLinkToken: Secrets['isLinkToken']
  /** For anyone who keeps a copy of the name and email address. */
  accountChanged(tx: Transaction, userId: string): Promise<void>
  /** Links to declarations that went to the address which the account no longer has. */
  endOpenLinks(tx: Transaction, userId: string): Promise<void>
}

export function createAccounts(deps: Dependencies) {
  const passwordLinks = createPasswordLinks(deps)
  const emailChange = createEmailChange({ ...deps, passwordLinks })
  return {
    ...createLogin({ ...deps, passwordLinks }),
    ...createConfirmation({ ...deps, passwordLinks }),
    ...createProfile(deps),
    ...createGuests({ ...deps, passwordLinks }),
    ...createPersonalData(deps),
    ...createRoles(deps),
    ...createPasswordChange(deps),
    ...emailChange,
    ...createCommandNotices(deps),
    corrections: createCorrections({ ...deps, passwordLinks }),
    users: createUsers({ ...deps, passwordLinks }),
    requestReset: passwordLinks.requestReset,
    resetPassword: passwordLinks.resetPassword,

    async forgetExpired() {
      await passwordLinks.forgetExpired()
      await emailChange.forgetOldChanges()
      await deps.attempts.forgetExpired()
      await deps.questions.forgetExpired()
    },
  }
}
