import type { Audit } from '#server/audit/audit.ts'
import type { Database } from '#server/database/connect.ts'
import type { Mails } from '#server/mails/mails.ts'
import type { Attempts } from '#server/security/attempts.ts'
import type { Passwords } from '#server/security/passwords.ts'
import type { Secrets } from '#server/security/secrets.ts'
import type { SecurityLog } from '#server/security/security-log.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { createAppCodes } from './app-codes.ts'
import { createChallenges } from './challenges.ts'
import { createCodes } from './codes.ts'
import { createHalfLogin } from './half-login.ts'
import { createLogins } from './logins.ts'
import { createLostDevice } from './lost-device.ts'
import { createNotices } from './notices.ts'
import { createPasskeyLogin } from './passkey-login.ts'
import { createPasskeys } from './passkeys.ts'
import { createPersonalData } from './personal-data.ts'
import { createPolicy } from './policy.ts'
import { createSetUp } from './set-up.ts'
import { createStepUp } from './step-up.ts'

export { resealAppCodes } from './app-codes.ts'
export { halfLoginLifetime } from './half-login.ts'
export { removeFactors, removeFactorsSince } from './lost-device.ts'
export { codeAt } from './totp.ts'

type Dependencies = {
  db: Database
  now: () => Date
  mails: Mails
  audit: Audit
  passwords: Passwords
  attempts: Attempts
  secrets: Secrets
  securityLog: SecurityLog
  sessions: Sessions
  /** Whether staff need a second step here (`ADMIN_TWO_FACTOR`). */
  staffNeedFactor: boolean
  publicUrl: string
}

export type Factors = ReturnType<typeof createFactors>

/** What shows who someone is, besides the password: passkeys, codes from an app, recovery codes. */
export function createFactors(deps: Dependencies) {
  const { origin, hostname: host } = new URL(deps.publicUrl)
  const policy = createPolicy({ ...deps, host })
  const notices = createNotices(deps)
  const challenges = createChallenges(deps)
  const passkeys = createPasskeys({ ...deps, challenges, origin })
  const passkeyLogin = createPasskeyLogin({ ...deps, challenges, origin })
  const appCodes = createAppCodes(deps)
  const codes = createCodes({ ...deps, appCodes })
  const lostDevice = createLostDevice({ ...deps, notices })
  const halfLogin = createHalfLogin(deps)
  return {
    ...createPersonalData(deps),
    waysToProve: policy.waysToProve,
    passkeyOptions: passkeyLogin.options,
    strandedPasskeys: passkeys.strandedOnes,
    lostDevice,
    setUp: createSetUp({ ...deps, policy, appCodes, passkeys, notices }),
    stepUp: createStepUp({ ...deps, policy, codes, passkeyLogin }),
    logins: createLogins({ ...deps, policy, halfLogin, codes, passkeyLogin, lostDevice, notices }),
  }
}
