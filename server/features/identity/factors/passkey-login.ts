import type { AuthenticationResponseJSON, PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server'
import { and, eq, lt } from 'drizzle-orm'
import type { Context } from '#server/context.ts'
import { passkeys } from '#server/database/schema.ts'
import { Refusal } from '#server/errors.ts'
import { type Challenges, challengeLifetimeMs } from './challenges.ts'
import { webAuthn } from './passkeys.ts'

type PasskeyLoginContext = Pick<Context, 'db' | 'now' | 'config'>

export type PasskeyLogin = {
  /** Names no account: the browser's answer says whose passkey it is. */
  options(): Promise<PublicKeyCredentialRequestOptionsJSON>
  /** Returns the passkey's owner. Throws for an unknown, unverified, foreign or cloned passkey. */
  verify(response: Record<string, unknown>): Promise<{ userId: string; createdAt: Date }>
}

/** The same sentence for every fault, so that nobody learns who has an account. */
const refused = () =>
  new Refusal(401, 'passkey-refused', 'This passkey wasn’t accepted. Log in with your password, or use another device.')

const isCredentialId = (given: unknown): given is string => typeof given === 'string' && /^[\w-]{1,1400}$/.test(given)

export function createPasskeyLogin({ db, now, config }: PasskeyLoginContext, challenges: Challenges): PasskeyLogin {
  // Passkeys belong to the host of PUBLIC_URL.
  const { origin, hostname: host } = new URL(config.publicUrl)
  return {
    async options() {
      const { generateAuthenticationOptions } = await webAuthn()
      return generateAuthenticationOptions({
        rpID: host,
        challenge: challenges.make(''),
        timeout: challengeLifetimeMs,
        userVerification: 'required',
      })
    },

    async verify(response) {
      const challenge = await challenges.spendIn(response, '')
      const claimed = isCredentialId(response.id) ? response.id : ''
      const [known] = await db
        .select()
        .from(passkeys)
        .where(and(eq(passkeys.id, claimed), eq(passkeys.host, host)))
      if (!known) throw refused()
      const { id, publicKey, counter, userId, createdAt } = known
      const { verifyAuthenticationResponse } = await webAuthn()
      const verified = await verifyAuthenticationResponse({
        response: response as unknown as AuthenticationResponseJSON,
        expectedChallenge: challenge,
        expectedOrigin: origin,
        expectedRPID: host,
        credential: { id, publicKey, counter },
        requireUserVerification: true,
      }).catch(() => undefined)
      if (!verified?.verified) throw refused()
      const { newCounter, credentialBackedUp } = verified.authenticationInfo
      // Of two concurrent uses with one counter, one is a clone.
      const used = await db
        .update(passkeys)
        .set({ counter: newCounter, isSynced: credentialBackedUp, lastUsedAt: now() })
        .where(and(eq(passkeys.id, id), newCounter > 0 ? lt(passkeys.counter, newCounter) : eq(passkeys.counter, 0)))
      if (used.rowCount === 0) throw refused()
      return { userId, createdAt }
    },
  }
}
