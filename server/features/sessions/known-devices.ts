import { eq } from 'drizzle-orm'
import type { Transaction } from '../../database/connect.ts'
import { knownDevices } from '../../database/schema.ts'
import { hashToken } from '../../security/tokens.ts'

/** Remembers where somebody logs in. True for a browser or an address this user never had; the very first is no news. */
export async function noteDevice(
  tx: Transaction,
  userId: string,
  { userAgent, ip }: { userAgent: string; ip: string },
  at: Date,
): Promise<boolean> {
  const known = await tx.$count(knownDevices, eq(knownDevices.userId, userId))
  const added = await tx
    .insert(knownDevices)
    .values({ userId, fingerprint: hashToken(`${userAgent}\n${ip}`), firstSeenAt: at })
    .onConflictDoNothing()
    .returning({ userId: knownDevices.userId })
  return known > 0 && added.length > 0
}
