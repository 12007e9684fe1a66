import { and, eq, inArray, isNotNull } from 'drizzle-orm'
import type { Database, Transaction } from '../../database/connect.ts'
import { knownDevices, users } from '../../database/schema.ts'
import { hashToken } from '../../security/tokens.ts'

type Device = { device: string | undefined; userAgent: string; ip: string }

/** By its own secret, and by its browser and address together: one of them is enough to be no news. */
const fingerprintsOf = ({ device, userAgent, ip }: Device) => [
  ...(device ? [hashToken(device)] : []),
  hashToken(`${userAgent}\n${ip}`),
]

/** Remembers where somebody logs in. True for a device this user never had; the very first is no news. */
export async function noteDevice(
  tx: Transaction,
  userId: string,
  device: Device,
  at: Date,
): Promise<boolean> {
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

/**
 * The device, if its secret has logged in to the account of this address before; if asked, only of one whose owner has
 * shown to read its mail. The same work for every address.
 */
export async function knownDevice(
  db: Database,
  email: string,
  device: string | undefined,
  { verified = false } = {},
): Promise<string | undefined> {
  const [known] = await db
    .select({ userId: knownDevices.userId })
    .from(knownDevices)
    .innerJoin(users, eq(users.id, knownDevices.userId))
    .where(
      and(
        eq(users.email, email),
        eq(knownDevices.fingerprint, hashToken(device ?? '')),
        verified ? isNotNull(users.verifiedAt) : undefined,
      ),
    )
    .limit(1)
  return known ? device : undefined
}
