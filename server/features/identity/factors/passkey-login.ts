import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  type PublicKeyCredentialRequestOptionsJSON,
  verifyAuthenticationResponse,
} from '@simplewebauthn/server'
import { and, eq, lt } from 'drizzle-orm'
import type { Context } from '#server/context.ts'
import { passkeys } from '#server/database/schema.ts'
import { Refusal } from '#server/errors.ts'
import { type Challenges, challengeLifetimeMs } from './challenges.ts'

type PasskeyLoginContext = Pick<Context, 'db' | 'now' | 'config'>

export type PasskeyLogin = {
  options(): Promise<PublicKeyCredentialRequestOptionsJSON>
  /** Returns the passkey's owner. Throws for a passkey that is unknown, unverified, cloned or of another host. */
  verify(response: Record<string, unknown>): Promise<{ userId: string; createdAt: Date }>
}

/** The text is the same for every reason, so that nobody learns who has an account. */
const passkeyRefused = () =>
  new Refusal(401, 'passkey-refused', 'This passkey wasn’t accepted. Log in with your password, or use another device.')

/** In base64url. The longest id that WebAuthn allows has 1023 bytes, which are 1364 characters. */
const isCredentialId = (value: unknown): value is string => typeof value === 'string' && /^[\w-]{1,1400}$/.test(value)

/** A login starts without a user: the passkey tells who it is. */
const unknownUserId = ''

export function createPasskeyLogin({ db, now, config }: PasskeyLoginContext, challenges: Challenges): PasskeyLogin {
  // Passkeys belong to the host of PUBLIC_URL.
  const { origin, hostname: host } = new URL(config.publicUrl)
  return {
    options: () =>
      generateAuthenticationOptions({
        rpID: host,
        challenge: challenges.create(unknownUserId),
        timeout: challengeLifetimeMs,
        userVerification: 'required',
      }),

    async verify(response) {
      const challenge = await challenges.useFrom(response, unknownUserId)
      const credentialId = isCredentialId(response.id) ? response.id : ''
      const [passkey] = await db
        .select()
        .from(passkeys)
        .where(and(eq(passkeys.id, credentialId), eq(passkeys.host, host)))
      if (!passkey) throw passkeyRefused()
      const { id, publicKey, counter, userId, createdAt } = passkey
      const verification = await verifyAuthenticationResponse({
        response: response as unknown as AuthenticationResponseJSON,
        expectedChallenge: challenge,
        expectedOrigin: origin,
        expectedRPID: host,
        credential: { id, publicKey, counter },
        requireUserVerification: true,
      }).catch(() => undefined)
      if (!verification?.verified) throw passkeyRefused()
      const { newCounter, credentialBackedUp } = verification.authenticationInfo
      // A counter that does not grow belongs to a cloned passkey. Synced passkeys always report 0.
      const isCounterNew = newCounter > 0 ? lt(passkeys.counter, newCounter) : eq(passkeys.counter, 0)
      const updated = await db
        .update(passkeys)
        .set({ counter: newCounter, isSynced: credentialBackedUp, lastUsedAt: now() })
        .where(and(eq(passkeys.id, id), isCounterNew))
      if (updated.rowCount === 0) throw passkeyRefused()
      return { userId, createdAt }
    },
  }
}
