import type { WayToProve } from '#contract/statuses.ts'
import type { Actor } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import { Refusal } from '#server/errors.ts'
import { createPasswordCheck } from '#server/security/own-password.ts'
import { findKnownDevice, type Sessions } from '../sessions/sessions.ts'
import { createAppCodes } from './app-codes.ts'
import { createChallenges } from './challenges.ts'
import { type CodeFromBrowser, type Codes, createCodes } from './codes.ts'
import { createLogins, type Logins } from './logins.ts'
import { createLostDevice, type LostDevice } from './lost-device.ts'
import { createNotices } from './notices.ts'
import { createPasskeyLogin, type PasskeyLogin } from './passkey-login.ts'
import { createPasskeys } from './passkeys.ts'
import { createPolicy, type Policy } from './policy.ts'
import { createSetUp, type SetUp } from './set-up.ts'

export { resealAppCodes } from './app-codes.ts'
export { pendingLoginSeconds } from './logins.ts'
export { removeFactors, removeFactorsSince } from './lost-device.ts'
export { codeAt } from './totp.ts'

type FactorContext = Pick<
  Context,
  | 'attempts'
  | 'audit'
  | 'config'
  | 'db'
  | 'isLinkToken'
  | 'linkToken'
  | 'mails'
  | 'now'
  | 'passwordHasher'
  | 'secrets'
  | 'securityLog'
>

type FactorDeps = { sessions: Pick<Sessions, 'recordProof' | 'provenBy'> }

export type Factors = {
  waysToProve: Policy['waysToProve']
  passkeyOptions: PasskeyLogin['options']
  countPasskeysOfOtherHosts(): Promise<number>
  lostDevice: LostDevice
  setUp: SetUp
  stepUp: StepUp
  logins: Logins
}

export function createFactors(context: FactorContext, { sessions }: FactorDeps): Factors {
  const policy = createPolicy(context)
  const notices = createNotices(context)
  const challenges = createChallenges(context)
  const passkeys = createPasskeys(context, challenges)
  const passkeyLogin = createPasskeyLogin(context, challenges)
  const appCodes = createAppCodes(context)
  const codes = createCodes(context, appCodes)
  const lostDevice = createLostDevice(context, notices)
  return {
    waysToProve: policy.waysToProve,
    passkeyOptions: passkeyLogin.options,
    countPasskeysOfOtherHosts: passkeys.countOfOtherHosts,
    lostDevice,
    setUp: createSetUp(context, { sessions, policy, appCodes, passkeys, notices }),
    stepUp: createStepUp(context, { sessions, policy, codes, passkeyLogin }),
    logins: createLogins(context, { policy, codes, passkeyLogin, lostDevice, notices }),
  }
}

type StepUpDeps = { sessions: Pick<Sessions, 'recordProof'>; policy: Policy; codes: Codes; passkeyLogin: PasskeyLogin }

/** Repeated proof of identity within a session. */
type StepUp = {
  withPassword(actor: Actor, password: string): Promise<void>
  withCode(actor: Actor, typed: CodeFromBrowser): Promise<void>
  withPasskey(actor: Actor, response: Record<string, unknown>): Promise<void>
}

function createStepUp(
  context: Pick<Context, 'attempts' | 'db' | 'passwordHasher' | 'securityLog'>,
  { sessions, policy, codes, passkeyLogin }: StepUpDeps,
): StepUp {
  const { db } = context
  const checkPassword = createPasswordCheck(context)

  async function assertMayProveWith({ user }: Actor, way: WayToProve) {
    const { ways } = await policy.waysToProve(user)
    if (!ways.includes(way)) throw new Refusal(403, 'prove-again', 'Please confirm in another way.', { again: ways })
  }

  return {
    async withPassword(actor, password) {
      await assertMayProveWith(actor, 'password')
      await checkPassword(actor, password, 'password')
      await sessions.recordProof(db, actor)
    },

    async withCode(actor, { code, device }) {
      await assertMayProveWith(actor, 'code')
      const knownDevice = await findKnownDevice(db, actor.user.email, device)
      await codes.useFromApp(actor, { userId: actor.user.id, code, device: knownDevice })
      await sessions.recordProof(db, actor, 'password and code')
    },

    async withPasskey(actor, response) {
      const { userId } = await passkeyLogin.verify(response)
      if (userId !== actor.user.id)
        throw new Refusal(403, 'passkey-refused', 'This passkey belongs to another account.')
      await sessions.recordProof(db, actor, 'passkey')
    },
  }
}
