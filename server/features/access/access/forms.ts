import { and, desc, eq, isNotNull, lt, not, or, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import { type AccessRequestInput, accessRequestForm } from '#contract/access/access.ts'
import { retention, retentionStart } from '#contract/retention.ts'
import type { Actor } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { hasRow } from '#server/database/has-row.ts'
import { access, accessForms } from '#server/database/schema.ts'
import { conflict, invalid, notFound } from '#server/errors.ts'
import type { Secrets } from '#server/security/secrets.ts'

export type Keys = { apiKey: string; secretKey: string }

/** Seals the row's id in, so that keys copied to another row can't be opened. */
export const sealKeys = (secrets: Secrets, { apiKey, secretKey }: Keys, formId: string) =>
  secrets.seal(JSON.stringify([apiKey, secretKey]), formId)

function openKeys(secrets: Secrets, sealedKeys: string, formId: string): Keys {
  const missingKeyId = secrets.missingKeyId(sealedKeys)
  if (missingKeyId)
    throw conflict(
      'secrets-key-missing',
      `These keys were sealed with another SECRETS_KEY (fingerprint ${missingKeyId}). Set it as SECRETS_KEY_OLD and restart the shop.`,
    )
  const [apiKey, secretKey]: [string, string] = JSON.parse(secrets.open(sealedKeys, formId))
  return { apiKey, secretKey }
}

export function assertCompleteForm(form: AccessRequestInput) {
  const { error } = z.safeParse(accessRequestForm, form)
  const [issue] = error?.issues ?? []
  if (issue) throw invalid(String(issue.path[0]), issue.message)
}

export async function storeForm(
  tx: Transaction,
  { now, secrets }: Pick<Context, 'now' | 'secrets'>,
  ids: { id: string; userId: string; purchaseId: string },
  { apiKey, secretKey, exchangeName = '', tradingViewUsername, additionalInfo }: AccessRequestInput,
) {
  await tx
    .insert(accessForms)
    .values({
      ...ids,
      exchangeName,
      tradingViewUsername,
      additionalInfo: additionalInfo || null,
      sealedKeys: apiKey && secretKey ? sealKeys(secrets, { apiKey, secretKey }, ids.id) : null,
      submittedAt: now(),
    })
}

export function revealKeys(
  { db, secrets, audit }: Pick<Context, 'db' | 'secrets' | 'audit'>,
  actor: Actor,
  accessId: string,
): Promise<Keys> {
  return db.transaction(async (tx) => {
    const [form] = await tx
      .select({ id: accessForms.id, sealedKeys: accessForms.sealedKeys, userId: access.userId })
      .from(access)
      .leftJoin(accessForms, and(eq(accessForms.userId, access.userId), isNotNull(accessForms.sealedKeys)))
      .where(eq(access.id, accessId))
      .orderBy(desc(accessForms.submittedAt))
      .limit(1)
    if (!form) throw notFound('Access')
    if (!form.id || form.sealedKeys === null) throw conflict('keys-deleted', 'These keys have been deleted.')
    const { id, userId, sealedKeys } = form
    await audit.record(tx, actor, { action: 'access.reveal-keys', aboutId: userId, detail: { request: id } })
    return openKeys(secrets, sealedKeys, id)
  })
}

/** Also deletes keys that no pending request needs, before their 30 days are over. */
export async function purgeKeys({ db, now }: Pick<Context, 'db' | 'now'>) {
  const isPending = hasRow(
    access,
    eq(access.userId, accessForms.userId),
    or(sql`${access.state} in ('asked', 'unlocking')`, isNotNull(access.undoUntil)),
  )
  await db
    .update(accessForms)
    .set({ sealedKeys: null })
    .where(
      and(
        isNotNull(accessForms.sealedKeys),
        or(lt(accessForms.submittedAt, retentionStart(now(), retention.exchangeKeys)), not(isPending)),
      ),
    )
}

/** Seals every stored key with the current SECRETS_KEY. Idempotent, and safe while the shop runs. */
export async function resealKeys(db: Database, secrets: Secrets): Promise<{ resealed: number }> {
  const rows = await db
    .select({ id: accessForms.id, sealedKeys: accessForms.sealedKeys })
    .from(accessForms)
    .where(isNotNull(accessForms.sealedKeys))
  let resealed = 0
  for (const { id, sealedKeys } of rows) {
    if (sealedKeys === null || secrets.isCurrent(sealedKeys)) continue
    // Skips forms whose keys were purged in the meantime.
    const changed = await db
      .update(accessForms)
      .set({ sealedKeys: secrets.seal(secrets.open(sealedKeys, id), id) })
      .where(and(eq(accessForms.id, id), eq(accessForms.sealedKeys, sealedKeys)))
    resealed += changed.rowCount ?? 0
  }
  return { resealed }
}
