import { and, asc, desc, eq, gt, inArray, isNotNull, like, lte, or, type SQL, sql } from 'drizzle-orm'
import { promisedBy } from '#contract/access-requests.ts'
import type { AccessRequestStatus } from '#contract/statuses.ts'
import type { Actor } from '../../actor.ts'
import type { Database, Transaction } from '../../database/connect.ts'
import { containing, decodeCursor, pageOf } from '../../database/cursor.ts'
import { accessRequests, purchases, users } from '../../database/schema.ts'
import { conflict, notFound } from '../../errors.ts'
import type { Secrets } from '../../security/secrets.ts'
import type { Audit } from '../audit/audit.ts'
import { type Entitlements, isEntitling } from '../entitlements/entitlements.ts'
import type { Mails } from '../mails/mails.ts'
import { openKeys } from './keys.ts'
import { isForHand, isOpen, isUndecided } from './open.ts'
import { shownColumns } from './shown-columns.ts'
import { isUnpaid, replaceOlderGrants } from './unpaid.ts'

type Dependencies = {
  db: Database
  now: () => Date
  mails: Mails
  secrets: Secrets
  audit: Audit
  entitlements: Pick<Entitlements, 'withhold'>
  connector: {
    isWorking(): Promise<boolean>
    verify(tx: Transaction, userId: string): Promise<void>
  }
}

/** So long a grant by hand can be undone: only then is the buyer told and are the keys deleted. */
const undoMilliseconds = 60_000

type Paging = { limit: number; cursor?: string | undefined }

const isGranted = eq(accessRequests.status, 'granted')
/** Revoked while it is paid for, and nothing has replaced it since. */
const isRestorable = and(
  eq(accessRequests.status, 'revoked'),
  isEntitling,
  sql`not exists (select from access_requests newer where newer.purchase_id = ${accessRequests.purchaseId}
    and newer.id <> ${accessRequests.id} and newer.submitted_at >= ${accessRequests.submittedAt})`,
)

const lowerName = sql`lower(${accessRequests.tradingViewUsername})`
/** A word that more people match finds what the newest of them have. */
const mostPeople = 2000
const peopleLike = (q: string) =>
  sql`array(select ${users.id} from ${users} where ${like(users.searchText, containing(q))} order by ${desc(users.createdAt)} limit ${mostPeople})`

/** What admins see of the requests, and what they decide about them. */
export function createDecisions(deps: Dependencies) {
  const { db, now, mails, secrets, audit, entitlements, connector } = deps

  async function page(
    condition: SQL | undefined,
    { limit, cursor }: Paging,
    sort: 'oldest' | 'newest' = 'oldest',
  ) {
    const after = decodeCursor(cursor)
    const [direction, beyond] = sort === 'oldest' ? [asc, sql.raw('>')] : [desc, sql.raw('<')]
    const rows = await db
      .select({
        ...shownColumns,
        hasKeys: sql<boolean>`${accessRequests.sealedKeys} is not null`,
        user: { id: users.id, email: users.email, name: users.name },
        purchase: {
          billingType: purchases.billingType,
          status: purchases.status,
          endedAt: purchases.endedAt,
        },
      })
      .from(accessRequests)
      .innerJoin(users, eq(users.id, accessRequests.userId))
      .leftJoin(purchases, eq(purchases.id, accessRequests.purchaseId))
      .where(
        and(
          condition,
          after &&
            sql`(${accessRequests.submittedAt}, ${accessRequests.id}) ${beyond} (${after.at}, ${after.id})`,
        ),
      )
      .orderBy(direction(accessRequests.submittedAt), direction(accessRequests.id))
      .limit(limit + 1)
    const { items, next } = pageOf(rows, limit, ({ submittedAt, id }) => ({ at: submittedAt, id }))
    return { items: items.map((row) => ({ ...row, promisedBy: promisedBy(row.submittedAt) })), next }
  }

  /** Updates the named requests that are still in the expected state, and notifies their buyers. */
  async function decide(
    actor: Actor,
    ids: string[],
    decision: {
      from: SQL | undefined
      to: Exclude<AccessRequestStatus, 'requested'>
      mail?: 'accessRefused' | 'accessRevoked'
      reason?: string
    },
  ) {
    const { from, to, mail, reason } = decision
    const rows = await db.transaction(async (tx) => {
      const chosen = await expected(tx, ids, from)
      const chosenIds = chosen.map(({ id }) => id)
      await tx
        .update(accessRequests)
        .set({
          status: to,
          reason: reason ?? null,
          decidedAt: now(),
          decidedBy: actor.user.id,
          ...(to === 'granted'
            ? { announceAt: new Date(now().getTime() + undoMilliseconds), endedAt: null }
            : { sealedKeys: null }),
        })
        .where(inArray(accessRequests.id, chosenIds))
      for (const request of chosen) {
        const { id, userId, email, name, tradingViewUsername, personIsGone, isPaid, productId } = request
        await audit.record(tx, actor, {
          action: `access.${to}`,
          aboutId: userId,
          // The reason stays with the request: it may name the buyer.
          detail: { request: id },
        })
        // A grant by hand lets in whoever was kept out; a revocation keeps out whoever still pays.
        if (isPaid && productId && to !== 'refused')
          await entitlements.withhold(tx, userId, productId, to === 'revoked')
        if (to === 'granted') await connector.verify(tx, userId)
        else if (mail && !personIsGone)
          await mails.send(tx, email, mail, { name, tradingViewUsername, reason: reason ?? '' })
        // A deleted person's username was kept only so it could be revoked.
        else if (to === 'revoked')
          await tx.update(accessRequests).set({ tradingViewUsername: '' }).where(eq(accessRequests.id, id))
      }
      return chosen
    })
    if (rows.length > 0) return { changed: rows.length }
    const [known] = await db
      .select({ id: accessRequests.id })
      .from(accessRequests)
      .where(inArray(accessRequests.id, ids))
      .limit(1)
    if (!known) throw notFound('Access request')
    throw conflict('This request was already handled, or the subscription has ended. Please reload the list.')
  }

  return {
    /** While a connector works, only what it has not managed. */
    open: async (paging: Paging) =>
      page(and(isOpen, (await connector.isWorking()) ? isForHand(now()) : undefined), paging),

    toRevoke: (paging: Paging) => page(and(isGranted, isUnpaid), paging),

    grant: (actor: Actor, ids: string[]) => decide(actor, ids, { from: isOpen, to: 'granted' }),

    /** Takes a grant back while nobody has been told of it. */
    async undo(actor: Actor, ids: string[]) {
      await db.transaction(async (tx) => {
        const undone = await tx
          .update(accessRequests)
          .set({ status: 'requested', decidedAt: null, decidedBy: null, announceAt: null })
          .where(
            and(
              inArray(accessRequests.id, ids),
              isGranted,
              gt(accessRequests.announceAt, now()),
              // The buyer has asked anew in the meantime.
              sql`not exists (select from access_requests newer where newer.purchase_id = ${accessRequests.purchaseId} and newer.status = 'requested')`,
            ),
          )
          .returning({ id: accessRequests.id, userId: accessRequests.userId })
        if (undone.length === 0)
          throw conflict('It’s too late to undo this: the buyer has been told. You can revoke it instead.')
        for (const { id, userId } of undone) {
          await audit.record(tx, actor, { action: 'access.undone', aboutId: userId, detail: { request: id } })
          await connector.verify(tx, userId)
        }
      })
    },

    /** Tells the buyers whose grant can no longer be undone. */
    announce: () =>
      db.transaction(async (tx) => {
        const due = await tx
          .update(accessRequests)
          .set({ announceAt: null, sealedKeys: null })
          .where(and(isGranted, lte(accessRequests.announceAt, now())))
          .returning({ id: accessRequests.id })
        const ids = due.map(({ id }) => id)
        if (ids.length === 0) return
        await replaceOlderGrants(tx, ids, now())
        for (const { email, name, tradingViewUsername, personIsGone } of await expected(tx, ids, undefined))
          if (!personIsGone) await mails.send(tx, email, 'accessGranted', { name, tradingViewUsername })
      }),

    refuse: (actor: Actor, ids: string[], reason: string) =>
      decide(actor, ids, { from: isUndecided, to: 'refused', mail: 'accessRefused', reason }),

    revoke: (actor: Actor, ids: string[]) =>
      decide(actor, ids, { from: isGranted, to: 'revoked', mail: 'accessRevoked' }),

    /** What is granted, or what was revoked and can be restored. */
    granted: (status: 'granted' | 'revoked', { q, ...paging }: Paging & { q?: string | undefined }) =>
      page(
        and(
          eq(accessRequests.status, status),
          status === 'revoked' ? isRestorable : undefined,
          q
            ? or(like(lowerName, containing(q)), sql`${accessRequests.userId} = any(${peopleLike(q)})`)
            : undefined,
        ),
        paging,
        'newest',
      ),

    restore: (actor: Actor, ids: string[]) => decide(actor, ids, { from: isRestorable, to: 'granted' }),

    async reveal(actor: Actor, id: string) {
      return db.transaction(async (tx) => {
        const [request] = await tx
          .select({ sealedKeys: accessRequests.sealedKeys, userId: accessRequests.userId })
          .from(accessRequests)
          .where(eq(accessRequests.id, id))
        if (!request) throw notFound('Access request')
        if (request.sealedKeys === null) throw conflict('These keys have been deleted.')
        await audit.record(tx, actor, {
          action: 'access.reveal-keys',
          aboutId: request.userId,
          detail: { request: id },
        })
        return openKeys(secrets, request.sealedKeys, id)
      })
    },
  }
}

/** Always locked in the same order, so two admins with overlapping selections can't deadlock. */
function expected(tx: Transaction, ids: string[], condition: SQL | undefined) {
  return tx
    .select({
      id: accessRequests.id,
      userId: accessRequests.userId,
      tradingViewUsername: accessRequests.tradingViewUsername,
      email: users.email,
      name: users.name,
      personIsGone: sql<boolean>`${isNotNull(users.deletedAt)}`,
      isPaid: sql<boolean>`coalesce(${isEntitling}, false)`,
      productId: purchases.productId,
    })
    .from(accessRequests)
    .innerJoin(users, eq(users.id, accessRequests.userId))
    .leftJoin(purchases, eq(purchases.id, accessRequests.purchaseId))
    .where(and(inArray(accessRequests.id, ids), condition))
    .orderBy(accessRequests.id)
    .for('update', { of: accessRequests })
}
