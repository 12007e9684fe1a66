import type { WayToProve } from '#contract/statuses.ts'
import type { Actor } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import { Refusal } from '#server/errors.ts'
import { createOwnPassword } from '#server/security/own-password.ts'
import { knownDevice, type Sessions } from '../sessions/sessions.ts'
import type { Codes } from './codes.ts'
import type { PasskeyLogin } from './passkey-login.ts'
import type { Policy } from './policy.ts'

type Parts = {
  sessions: Pick<Sessions, 'prove'>
  policy: Policy
  codes: Codes
  passkeyLogin: PasskeyLogin
}

/** Proving again who you are, in a session that has been open for a while. */
export function createStepUp(context: Context, { sessions, policy, codes, passkeyLogin }: Parts) {
  const { db } = context
  const checkPassword = createOwnPassword(context)

  async function assertCounts({ user }: Actor, way: WayToProve) {
    const { ways } = await policy.waysToProve(user)
    if (!ways.includes(way))
      throw new Refusal(403, 'prove-again', 'Please confirm in another way.', { again: ways })
  }

  return {
    async withPassword(actor: Actor, password: string) {
      await assertCounts(actor, 'password')
      await checkPassword(actor, password, 'password')
      await sessions.prove(db, actor)
    },

    async withCode(actor: Actor, code: string) {
      await assertCounts(actor, 'code')
      const device = await knownDevice(db, actor.user.email, actor.device)
      await codes.useFromApp(actor, { userId: actor.user.id, code, device })
      await sessions.prove(db, actor, 'password and code')
    },

    async withPasskey(actor: Actor, response: Record<string, unknown>) {
      const { userId } = await passkeyLogin.verify(response)
      if (userId !== actor.user.id)
        throw new Refusal(403, 'passkey-refused', 'This passkey belongs to another account.')
      await sessions.prove(db, actor, 'passkey')
    },
  }
}
