import {
  generateRegistrationOptions,
  type PublicKeyCredentialCreationOptionsJSON,
  type RegistrationResponseJSON,
  type VerifiedRegistrationResponse,
  verifyRegistrationResponse,
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
  /** Verifies a new passkey outside the transaction of `store`, which must not wait for the computation. */
  verify(actor: Actor, response: Record<string, unknown>): Promise<VerifiedPasskey>
  store(tx: Transaction, actor: Actor, name: string, passkey: VerifiedPasskey): Promise<void>
  rename(actor: Actor, id: string, name: string): Promise<void>
  remove(tx: Transaction, actor: Actor, id: string): Promise<{ name: string }>
  /** Passkeys of another host than PUBLIC_URL's don't work here. */
  countOfOtherHosts(): Promise<number>
}

const maxPasskeys = 20
const enoughPasskeys = () => conflict('enough-passkeys', `${maxPasskeys} passkeys are enough. Remove one first.`)

/** Ed25519, P-256 and RSA. Node warns about newer algorithms, which are experimental. */
const algorithms = [-8, -7, -257]

type VerifiedPasskey = NonNullable<VerifiedRegistrationResponse['registrationInfo']>

/** Drops malformed transports: the browser sends them unsigned. */
function findValidTransports(sent: unknown): string[] {
  if (!Array.isArray(sent)) return []
  const isTransport = (value: unknown) => typeof value === 'string' && /^[a-z-]{1,20}$/.test(value)
  return sent.filter(isTransport).slice(0, 10)
}

export function createPasskeys({ db, now, config }: PasskeyContext, challenges: Challenges): Passkeys {
  // Passkeys belong to the host of PUBLIC_URL.
  const { origin, hostname: host } = new URL(config.publicUrl)
  const ofUser = (userId: string) => and(eq(passkeys.userId, userId), eq(passkeys.host, host))

  return {
    list: (userId) =>
      db.select().from(passkeys).where(ofUser(userId)).orderBy(desc(passkeys.createdAt), desc(passkeys.id)),

    async begin({ user }) {
      const existing = await db
        .select({ id: passkeys.id, transports: passkeys.transports })
        .from(passkeys)
        .where(ofUser(user.id))
      if (existing.length >= maxPasskeys) throw enoughPasskeys()
      return generateRegistrationOptions({
        rpName: brand.name,
        rpID: host,
        userID: new Uint8Array(Buffer.from(user.id)),
        userName: user.email,
        userDisplayName: user.name || user.email,
        challenge: challenges.create(user.id),
        timeout: challengeLifetimeMs,
        attestationType: 'none',
        supportedAlgorithmIDs: algorithms,
        excludeCredentials: existing,
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      })
    },

    async verify({ user }, response) {
      const challenge = await challenges.useFrom(response, user.id)
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

    async store(tx, { user }, name, { credential, credentialBackedUp, aaguid }) {
      if ((await tx.$count(passkeys, ofUser(user.id))) >= maxPasskeys) throw enoughPasskeys()
      const inserted = await tx
        .insert(passkeys)
        .values({
          id: credential.id,
          userId: user.id,
          publicKey: credential.publicKey,
          counter: credential.counter,
          transports: findValidTransports(credential.transports),
          isSynced: credentialBackedUp,
          aaguid,
          host,
          name,
          createdAt: now(),
        })
        .onConflictDoNothing()
      if (inserted.rowCount === 0) throw conflict('already-listed', 'This passkey is already here.')
    },

    async rename({ user }, id, name) {
      const renamed = await db
        .update(passkeys)
        .set({ name })
        .where(and(ofUser(user.id), eq(passkeys.id, id)))
      if (renamed.rowCount === 0) throw notFound('Passkey')
    },

    async remove(tx, { user }, id) {
      const [removed] = await tx
        .delete(passkeys)
        .where(and(ofUser(user.id), eq(passkeys.id, id)))
        .returning({ name: passkeys.name })
      if (!removed) throw notFound('Passkey')
      return removed
    },

    countOfOtherHosts: () => db.$count(passkeys, ne(passkeys.host, host)),
  }
}
