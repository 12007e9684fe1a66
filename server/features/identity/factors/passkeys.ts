import type {
  PublicKeyCredentialCreationOptionsJSON,
  RegistrationResponseJSON,
  VerifiedRegistrationResponse,
} from '@simplewebauthn/server'
import { and, desc, eq, ne } from 'drizzle-orm'
import { brand } from '#contract/brand.ts'
import type { Actor } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import type { Transaction } from '#server/database/connect.ts'
import { passkeys } from '#server/database/schema.ts'
import { conflict, notFound, Refusal } from '#server/errors.ts'
import { type Challenges, challengeLifetimeMs } from './challenges.ts'

type PasskeyContext = Pick<Context, 'db' | 'now' | 'config'>

type PasskeyRow = typeof passkeys.$inferSelect

export type Passkeys = {
  list(userId: string): Promise<PasskeyRow[]>
  begin(actor: Actor): Promise<PublicKeyCredentialCreationOptionsJSON>
  /** Checks a new passkey before `keep` stores it, so that no transaction waits for the computation. */
  check(actor: Actor, response: Record<string, unknown>): Promise<Made>
  keep(tx: Transaction, actor: Actor, name: string, made: Made): Promise<void>
  rename(actor: Actor, id: string, name: string): Promise<void>
  remove(tx: Transaction, actor: Actor, id: string): Promise<{ name: string }>
  /** Passkeys that no longer work because PUBLIC_URL has another host now. */
  countOfOtherHosts(): Promise<number>
}

/** Loaded on the first use of a passkey, for a faster start. */
export const webAuthn = () => import('@simplewebauthn/server')

const mostPasskeys = 20
/** Ed25519, P-256 and RSA. Node warns about newer algorithms, which are experimental. */
const algorithms = [-8, -7, -257]

type Made = NonNullable<VerifiedRegistrationResponse['registrationInfo']>

/** Transports come from the browser unsigned, so only known ones are kept. */
const knownTransports = (given: unknown): string[] =>
  Array.isArray(given)
    ? given.filter((each) => typeof each === 'string' && /^[a-z-]{1,20}$/.test(each)).slice(0, 10)
    : []

export function createPasskeys({ db, now, config }: PasskeyContext, challenges: Challenges): Passkeys {
  // Passkeys belong to the host of PUBLIC_URL.
  const { origin, hostname: host } = new URL(config.publicUrl)
  const ofUser = (userId: string) => and(eq(passkeys.userId, userId), eq(passkeys.host, host))

  return {
    list: (userId) =>
      db.select().from(passkeys).where(ofUser(userId)).orderBy(desc(passkeys.createdAt), desc(passkeys.id)),

    async begin({ user }) {
      const known = await db
        .select({ id: passkeys.id, transports: passkeys.transports })
        .from(passkeys)
        .where(ofUser(user.id))
      if (known.length >= mostPasskeys)
        throw conflict('enough-passkeys', `${mostPasskeys} passkeys are enough. Remove one first.`)
      const { generateRegistrationOptions } = await webAuthn()
      return generateRegistrationOptions({
        rpName: brand.name,
        rpID: host,
        userID: new Uint8Array(Buffer.from(user.id)),
        userName: user.email,
        userDisplayName: user.name || user.email,
        challenge: challenges.make(user.id),
        timeout: challengeLifetimeMs,
        attestationType: 'none',
        supportedAlgorithmIDs: algorithms,
        excludeCredentials: known,
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      })
    },

    async check({ user }, response) {
      const challenge = await challenges.spendIn(response, user.id)
      const { verifyRegistrationResponse } = await webAuthn()
      const { registrationInfo } = await verifyRegistrationResponse({
        response: response as unknown as RegistrationResponseJSON,
        expectedChallenge: challenge,
        expectedOrigin: origin,
        expectedRPID: host,
        requireUserVerification: true,
        supportedAlgorithmIDs: algorithms,
      }).catch(() => ({ registrationInfo: undefined }))
      if (!registrationInfo)
        throw new Refusal(400, 'passkey-refused', 'This passkey could not be accepted. Please try again.')
      return registrationInfo
    },

    async keep(tx, { user }, name, { credential, credentialBackedUp, aaguid }) {
      if ((await tx.$count(passkeys, ofUser(user.id))) >= mostPasskeys)
        throw conflict('enough-passkeys', `${mostPasskeys} passkeys are enough. Remove one first.`)
      const updated = await tx
        .insert(passkeys)
        .values({
          id: credential.id,
          userId: user.id,
          publicKey: credential.publicKey,
          counter: credential.counter,
          transports: knownTransports(credential.transports),
          isSynced: credentialBackedUp,
          aaguid,
          host,
          name,
          createdAt: now(),
        })
        .onConflictDoNothing()
      if (updated.rowCount === 0) throw conflict('already-listed', 'This passkey is already here.')
    },

    async rename({ user }, id, name) {
      const renamed = await db
        .update(passkeys)
        .set({ name })
        .where(and(ofUser(user.id), eq(passkeys.id, id)))
      if (renamed.rowCount === 0) throw notFound('Passkey')
    },

    async remove(tx, { user }, id) {
      const [gone] = await tx
        .delete(passkeys)
        .where(and(ofUser(user.id), eq(passkeys.id, id)))
        .returning({ name: passkeys.name })
      if (!gone) throw notFound('Passkey')
      return gone
    },

    countOfOtherHosts: () => db.$count(passkeys, ne(passkeys.host, host)),
  }
}
