import { and, eq, inArray } from 'drizzle-orm'
import type { Database, Transaction } from '#server/database/connect.ts'
import { knownDevices, users } from '#server/database/schema.ts'
import { hashToken } from '#server/security/tokens.ts'

type Device = { device: string | undefined; userAgent: string; ip: string }

const cookieFingerprint = (device: string) => hashToken(`cookie ${device}`)

/** By its own secret, and by browser and IP address together: a match on either means a known device. */
const fingerprintsOf = ({ device, userAgent, ip }: Device) => [
  ...(device ? [cookieFingerprint(device)] : []),
  hashToken(`place ${userAgent}\n${ip}`),
]

/** Remembers where someone logs in. True for a device new to this user, except their very first. */
export async function noteDevice(tx: Transaction, userId: string, device: Device, at: Date): Promise<boolean> {
  const fingerprints = fingerprintsOf(device)
  const ofUser = eq(knownDevices.userId, userId)
  const known = await tx.$count(knownDevices, ofUser)
  const seen = await tx.$count(knownDevices, and(ofUser, inArray(knownDevices.fingerprint, fingerprints)))
  await tx
    .insert(knownDevices)
    .values(fingerprints.map((fingerprint) => ({ userId, fingerprint, firstSeenAt: at })))
    .onConflictDoNothing()
  return known > 0 && seen === 0
}

/** For an account that goes to another person: each login from now on is from a device that is new to it. */
export async function forgetDevices(tx: Transaction, userId: string) {
  await tx.delete(knownDevices).where(eq(knownDevices.userId, userId))
}

/** The device, if it has logged in to this account before. The same work for every address. */
export async function knownDevice(
  db: Database,
  email: string,
  device: string | undefined,
): Promise<string | undefined> {
  const [known] = await db
    .select({ userId: knownDevices.userId })
    .from(knownDevices)
    .innerJoin(users, eq(users.id, knownDevices.userId))
    .where(and(eq(users.email, email), eq(knownDevices.fingerprint, cookieFingerprint(device ?? ''))))
    .limit(1)
  return known ? device : undefined
}
