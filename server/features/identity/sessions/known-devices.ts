import { and, eq, inArray } from 'drizzle-orm'
import type { Database, Transaction } from '#server/database/connect.ts'
import { knownDevices, users } from '#server/database/schema.ts'
import { hashToken } from '#server/security/tokens.ts'

/** `device` is the secret cookie of a browser that has logged in before, to any account. */
export type DeviceTraits = { device: string | undefined; userAgent: string; ip: string }

const cookieFingerprint = (device: string) => hashToken(`cookie ${device}`)

/** Two fingerprints: the device cookie, and browser with IP address. A match of either means a known device. */
function fingerprintsOf({ device, userAgent, ip }: DeviceTraits): string[] {
  const placeFingerprint = hashToken(`place ${userAgent}\n${ip}`)
  return device ? [cookieFingerprint(device), placeFingerprint] : [placeFingerprint]
}

/** Stores the device. Returns true if it is new to this user and not their first. */
export async function rememberDevice(
  tx: Transaction,
  userId: string,
  device: DeviceTraits,
  at: Date,
): Promise<boolean> {
  const fingerprints = fingerprintsOf(device)
  const isTheirs = eq(knownDevices.userId, userId)
  const knownCount = await tx.$count(knownDevices, isTheirs)
  const matchCount = await tx.$count(knownDevices, and(isTheirs, inArray(knownDevices.fingerprint, fingerprints)))
  await tx
    .insert(knownDevices)
    .values(fingerprints.map((fingerprint) => ({ userId, fingerprint, firstSeenAt: at })))
    .onConflictDoNothing()
  return knownCount > 0 && matchCount === 0
}

/** Called when an account gets another owner, for whom every device is new. */
export async function forgetDevices(tx: Transaction, userId: string) {
  await tx.delete(knownDevices).where(eq(knownDevices.userId, userId))
}

/** Returns the device cookie if it has logged in to this account before. Takes the same time for every address. */
export async function findKnownDevice(
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
