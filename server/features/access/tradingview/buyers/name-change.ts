import { and, eq, sql } from 'drizzle-orm'
import { keyOfName } from '#contract/tradingview-name.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { entitlements, tvGrants } from '#server/database/schema.ts'
import { conflict } from '#server/errors.ts'
import type { AccessRequests } from '#server/features/access/access-requests/access-requests.ts'
import type { Entitlements } from '#server/features/access/entitlements/entitlements.ts'
import type { TradingView } from '../connector.ts'

type Dependencies = {
  tradingView: Pick<TradingView, 'db' | 'now'>
  entitlements: Pick<Entitlements, 'changesOf' | 'recordChange' | 'claimable'>
  accessRequests: Pick<AccessRequests, 'claim'>
}

const day = 86_400_000
const week = 7 * day
const year = 365 * day
const changesInAYear = 5

/** Another TradingView account, by the buyers themselves. The new name is unlocked before the old one is locked. */
export function createNameChange({ tradingView, entitlements: entitled, accessRequests }: Dependencies) {
  const { db, now } = tradingView

  /** Once in seven days and five times in a year; whoever has not been unlocked yet may correct freely. */
  async function mayChangeFrom(userId: string, tx: Transaction | Database = db): Promise<Date | null> {
    const changes = await entitled.changesOf(userId, tx)
    const [newest] = changes
    const fifth = changes[changesInAYear - 1]
    const free = Math.max(newest ? newest.at.getTime() + week : 0, fifth ? fifth.at.getTime() + year : 0)
    return free > now().getTime() ? new Date(free) : null
  }

  /** The name that is unlocked now, if there is one. */
  async function openName(tx: Transaction, userId: string, productId: string): Promise<string | undefined> {
    const [open] = await tx
      .select({ usernameKey: tvGrants.usernameKey })
      .from(entitlements)
      .innerJoin(
        tvGrants,
        and(eq(tvGrants.userId, entitlements.userId), eq(tvGrants.usernameKey, entitlements.usernameKey)),
      )
      .where(
        and(
          eq(entitlements.userId, userId),
          eq(entitlements.productId, productId),
          eq(tvGrants.isPresent, true),
        ),
      )
      .limit(1)
    return open?.usernameKey
  }

  return {
    mayChangeFrom,

    async changeName(
      userId: string,
      { purchaseId, productId }: Record<'purchaseId' | 'productId', string>,
      typed: string,
    ) {
      await db.transaction(async (tx) => {
        // In turns: two at once would both find that the last change is long ago.
        await tx.execute(sql`select pg_advisory_xact_lock(hashtext(${`name change ${userId}`}))`)
        const username = await entitled.claimable(tx, { userId, productId }, typed)
        const toKey = keyOfName(username)
        const fromKey = await openName(tx, userId, productId)
        if (fromKey !== undefined && fromKey !== toKey) {
          const from = await mayChangeFrom(userId, tx)
          if (from)
            throw conflict(
              'too-soon',
              `You can change your TradingView username again on ${from.toLocaleDateString('en-US', { dateStyle: 'medium', timeZone: 'UTC' })}.`,
            )
          await entitled.recordChange(tx, { userId, fromKey, toKey, byAdmin: null })
        }
        await accessRequests.claim(tx, { userId, purchaseId, productId, username })
      })
    },
  }
}
