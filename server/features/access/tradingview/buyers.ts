import { and, eq, sql } from 'drizzle-orm'
import type { accessStates } from '#contract/statuses.ts'
import { keyOfName, readUsername } from '#contract/tradingview-name.ts'
import type { Actor } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { isLivePurchase } from '#server/database/live-purchase.ts'
import { entitlements, purchases, tvGrants } from '#server/database/schema.ts'
import { conflict, notFound } from '#server/errors.ts'
import { connectorPatience } from '#server/features/access/access-requests/access-requests.ts'
import type { EntitlementRow } from '#server/features/access/entitlements/entitlements.ts'
import { TradingViewFailure } from '#server/gateways/tradingview.ts'
import type { Connection } from './connection.ts'
import type { Others } from './connector.ts'
import type { GrantRow } from './plan.ts'

type AccessState = (typeof accessStates)[number]
const day = 86_400_000
const week = 7 * day
const year = 365 * day
const changesInAYear = 5

/** What buyers see of their access, and what they change about it. */
export function createBuyers(context: Context, { connector, entitlements: room, accessRequests }: Others) {
  const { db, now } = context
  const { connection } = connector
  const { usernames } = room

  async function ownPurchase(userId: string, purchaseId: string) {
    const [purchase] = await db
      .select()
      .from(purchases)
      .where(and(eq(purchases.id, purchaseId), eq(purchases.userId, userId), isLivePurchase))
    if (!purchase) throw notFound('Purchase')
    return purchase
  }

  /** Once in seven days and five times in a year; before the first unlock, a name can be corrected freely. */
  async function mayChangeFrom(userId: string, tx: Transaction | Database = db): Promise<Date | null> {
    const changes = await usernames.changesOf(userId, tx)
    const [newest] = changes
    const fifth = changes[changesInAYear - 1]
    const free = Math.max(newest ? newest.at.getTime() + week : 0, fifth ? fifth.at.getTime() + year : 0)
    return free > now().getTime() ? new Date(free) : null
  }

  const isHandedOver = ({ state, failingSince }: GrantRow) =>
    state === 'stuck' ||
    (failingSince !== null && now().getTime() - failingSince.getTime() >= connectorPatience)

  return {
    async mine(userId: string) {
      const live = await db
        .select()
        .from(purchases)
        .where(and(eq(purchases.userId, userId), isLivePurchase))
      if (live.length === 0) return []
      const rows = await db.select().from(entitlements).where(eq(entitlements.userId, userId))
      const grants = await db.select().from(tvGrants).where(eq(tvGrants.userId, userId))
      const isWorking = await connector.isWorking()
      const changeFrom = await mayChangeFrom(userId)
      return live.map(({ id: purchaseId, productId }) => {
        const row = rows.find((each) => each.productId === productId)
        const current = grants.filter(({ usernameKey }) => usernameKey === row?.usernameKey)
        const old = grants.find((each) => each.usernameKey !== row?.usernameKey && each.isPresent)
        const isUnlocked = current.length > 0 && current.every(({ state }) => state === 'unlocked')
        return {
          purchaseId,
          state: stateOf(row, isUnlocked, isWorking && !current.some(isHandedOver)),
          username: row?.username ?? null,
          similar: row?.similar ?? [],
          until: row?.until ?? null,
          reason: row?.reason ?? null,
          lastCheckedAt: latest(current),
          mayChangeFrom: isUnlocked ? changeFrom : null,
          oldUsername: old?.username ?? null,
        }
      })
    },

    async recheck({ user }: Actor, purchaseId: string) {
      await ownPurchase(user.id, purchaseId)
      await db.transaction((tx) => usernames.recheck(tx, user.id))
    },

    /** Another TradingView account. The new name is unlocked before the old one is locked. */
    async changeUsername({ user: { id: userId } }: Actor, purchaseId: string, typed: string) {
      const { productId } = await ownPurchase(userId, purchaseId)
      await db.transaction(async (tx) => {
        // In turns: two at the same moment would both find that the last change is long ago.
        await tx.execute(sql`select pg_advisory_xact_lock(hashtext(${`name change ${userId}`}))`)
        const username = await usernames.requireAvailable(tx, { userId, productId }, typed)
        const toKey = keyOfName(username)
        const fromKey = await unlockedName(tx, userId, productId)
        if (fromKey !== undefined && fromKey !== toKey) {
          const from = await mayChangeFrom(userId, tx)
          if (from)
            throw conflict(
              'too-soon',
              `You can change your TradingView username again on ${from.toLocaleDateString('en-US', { dateStyle: 'medium', timeZone: 'UTC' })}.`,
            )
          await usernames.recordChange(tx, { userId, fromKey, toKey, byAdmin: null })
        }
        await accessRequests.recordUsername(tx, { userId, purchaseId, productId, username })
      })
    },

    checkUsername: createNameCheck(context, connection),
  }
}

function stateOf(row: EntitlementRow | undefined, isUnlocked: boolean, isWorking: boolean): AccessState {
  if (isUnlocked) return 'unlocked'
  if (!isWorking || row?.withheldSince) return 'manual'
  if (!row?.username) return 'none'
  if (row.problem === 'taken') return 'taken'
  return row.problem ? 'name_not_found' : 'unlocking'
}

function latest(grants: GrantRow[]): Date | null {
  const times = grants.flatMap(({ observedAt }) => observedAt?.getTime() ?? [])
  return times.length > 0 ? new Date(Math.max(...times)) : null
}

async function unlockedName(tx: Transaction, userId: string, productId: string): Promise<string | undefined> {
  const [unlocked] = await tx
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
  return unlocked?.usernameKey
}

type NameAnswer = {
  found: boolean | null
  username: string | null
  similar: string[]
  refusal: string | null
}

/** At the checkout, no answer is better than a late one, and a question must never hold up an unlock. */
const longestWait = 2000
const answerKeptFor = 10 * 60_000
const mostAnswers = 1000
const unknown: NameAnswer = { found: null, username: null, similar: [], refusal: null }

/** Whether TradingView knows a name. Before paying, and never in the way of it. */
function createNameCheck({ now }: Context, connection: Connection) {
  const answers = new Map<string, { answer: NameAnswer; at: number }>()

  async function ask(username: string): Promise<NameAnswer> {
    const opened = await connection.open(longestWait)
    if (!opened || opened.row.downSince) return unknown
    const found = await opened.client.findName(username)
    return 'username' in found
      ? { ...unknown, found: true, username: found.username }
      : { ...unknown, found: false, similar: found.similar }
  }

  return async function checkUsername(typed: string): Promise<NameAnswer> {
    const read = readUsername(typed)
    if ('refusal' in read) return { ...unknown, refusal: read.refusal }
    const key = keyOfName(read.username)
    const kept = answers.get(key)
    if (kept && kept.at > now().getTime() - answerKeptFor) return kept.answer
    try {
      const answer = await ask(read.username)
      if (answer.found === null) return answer
      if (answers.size >= mostAnswers) answers.clear()
      answers.set(key, { answer, at: now().getTime() })
      return answer
    } catch (error) {
      if (!(error instanceof TradingViewFailure)) throw error
      return unknown
    }
  }
}
