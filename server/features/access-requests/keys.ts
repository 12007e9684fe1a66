import { and, eq, inArray, isNotNull, lt, ne, notExists, or, sql } from 'drizzle-orm'
import { liveStatuses } from '#contract/purchases.ts'
import type { Database } from '../../database/connect.ts'
import { accessRequests, purchases } from '../../database/schema.ts'
import type { Secrets } from '../../security/secrets.ts'

export type Keys = { apiKey: string; secretKey: string }

/** The row's id is sealed in: keys moved to another row cannot be opened there. */
export const sealKeys = (secrets: Secrets, { apiKey, secretKey }: Keys, requestId: string) =>
  secrets.seal(JSON.stringify([apiKey, secretKey]), requestId)

export function openKeys(secrets: Secrets, sealedKeys: string, requestId: string): Keys {
  const [apiKey, secretKey]: [string, string] = JSON.parse(secrets.open(sealedKeys, requestId))
  return { apiKey, secretKey }
}

const keptDays = 30

/** Keys are kept only while they can be needed: the request is open, its subscription alive, and at most 30 days. */
export async function purgeKeys({ db, now }: { db: Database; now: () => Date }) {
  const livePurchase = db
    .select({ one: sql`1` })
    .from(purchases)
    .where(and(eq(purchases.id, accessRequests.purchaseId), inArray(purchases.status, [...liveStatuses])))
  await db
    .update(accessRequests)
    .set({ sealedKeys: null })
    .where(
      and(
        isNotNull(accessRequests.sealedKeys),
        or(
          ne(accessRequests.status, 'requested'),
          lt(accessRequests.submittedAt, new Date(now().getTime() - keptDays * 86_400_000)),
          notExists(livePurchase),
        ),
      ),
    )
}

/** Seals what an older key has sealed with the present one. It can be repeated, and stopped at any row. */
export async function resealKeys(db: Database, secrets: Secrets): Promise<{ resealed: number }> {
  const rows = await db
    .select({ id: accessRequests.id, sealedKeys: accessRequests.sealedKeys })
    .from(accessRequests)
    .where(isNotNull(accessRequests.sealedKeys))
  let resealed = 0
  for (const { id, sealedKeys } of rows) {
    if (sealedKeys === null || secrets.isCurrent(sealedKeys)) continue
    // A request that changed or was purged meanwhile stays as it is.
    const changed = await db
      .update(accessRequests)
      .set({ sealedKeys: secrets.seal(secrets.open(sealedKeys, id), id) })
      .where(and(eq(accessRequests.id, id), eq(accessRequests.sealedKeys, sealedKeys)))
    resealed += changed.rowCount ?? 0
  }
  return { resealed }
}
