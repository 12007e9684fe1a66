import { and, eq, isNotNull, isNull, lt, notInArray, or } from 'drizzle-orm'
import { keptSince, retention } from '#contract/retention.ts'
import type { Actor } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import type { Database } from '#server/database/connect.ts'
import { accessRequests } from '#server/database/schema.ts'
import { conflict, notFound } from '#server/errors.ts'
import type { Secrets } from '#server/security/secrets.ts'
import { openRequests } from './lists.ts'

export type Keys = { apiKey: string; secretKey: string }

/** The row's id is sealed in, so keys copied to another row can't be opened there. */
export const sealKeys = (secrets: Secrets, { apiKey, secretKey }: Keys, requestId: string) =>
  secrets.seal(JSON.stringify([apiKey, secretKey]), requestId)

function openKeys(secrets: Secrets, sealedKeys: string, requestId: string): Keys {
  const missing = secrets.missingKey(sealedKeys)
  if (missing)
    throw conflict(
      'secrets-key-missing',
      `These keys were sealed with another SECRETS_KEY (fingerprint ${missing}). Set it as SECRETS_KEY_OLD and restart the shop.`,
    )
  const [apiKey, secretKey]: [string, string] = JSON.parse(secrets.open(sealedKeys, requestId))
  return { apiKey, secretKey }
}

/** For the admin who sets up the exchange; each look is on record. */
export function revealKeys({ db, secrets, audit }: Context, actor: Actor, id: string): Promise<Keys> {
  return db.transaction(async (tx) => {
    const [request] = await tx
      .select({ sealedKeys: accessRequests.sealedKeys, userId: accessRequests.userId })
      .from(accessRequests)
      .where(eq(accessRequests.id, id))
    if (!request) throw notFound('Access request')
    if (request.sealedKeys === null) throw conflict('keys-deleted', 'These keys have been deleted.')
    await audit.record(tx, actor, {
      action: 'access.reveal-keys',
      aboutId: request.userId,
      detail: { request: id },
    })
    return openKeys(secrets, request.sealedKeys, id)
  })
}

/** Keys are kept only while they're needed: the request is open, its subscription is live, and for 30 days at most. */
export async function purgeKeys({ db, now }: Context) {
  const open = openRequests(db).as('open')
  await db
    .update(accessRequests)
    .set({ sealedKeys: null })
    .where(
      and(
        isNotNull(accessRequests.sealedKeys),
        or(
          lt(accessRequests.submittedAt, keptSince(now(), retention.exchangeKeys)),
          // A grant that can still be undone may become an open request again.
          and(
            isNull(accessRequests.announceAt),
            notInArray(accessRequests.id, db.select({ id: open.id }).from(open)),
          ),
        ),
      ),
    )
}

/** Re-seals everything sealed with an older key. Safe to repeat, and to stop at any row. */
export async function resealKeys(db: Database, secrets: Secrets): Promise<{ resealed: number }> {
  const rows = await db
    .select({ id: accessRequests.id, sealedKeys: accessRequests.sealedKeys })
    .from(accessRequests)
    .where(isNotNull(accessRequests.sealedKeys))
  let resealed = 0
  for (const { id, sealedKeys } of rows) {
    if (sealedKeys === null || secrets.isCurrent(sealedKeys)) continue
    // A request that was changed or purged in the meantime is left alone.
    const changed = await db
      .update(accessRequests)
      .set({ sealedKeys: secrets.seal(secrets.open(sealedKeys, id), id) })
      .where(and(eq(accessRequests.id, id), eq(accessRequests.sealedKeys, sealedKeys)))
    resealed += changed.rowCount ?? 0
  }
  return { resealed }
}
