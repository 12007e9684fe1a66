import { and, eq } from 'drizzle-orm'
import { keyOfName, readUsername } from '#contract/tradingview-name.ts'
import type { Actor } from '../../actor.ts'
import { entitlements, purchases, tvGrants } from '../../database/schema.ts'
import { notFound, Refusal } from '../../errors.ts'
import { TradingViewFailure } from '../../gateways/tradingview.ts'
import type { AccessRequests } from '../access-requests/access-requests.ts'
import { type Entitlements, isEntitling } from '../entitlements/entitlements.ts'
import type { TradingView } from './connector.ts'
import type { GrantRow } from './sync.ts'

type Dependencies = {
  tradingView: TradingView
  entitlements: Pick<Entitlements, 'changesOf' | 'recordChange' | 'takenBy'>
  accessRequests: Pick<AccessRequests, 'claim' | 'readable'>
}

type NameAnswer = {
  found: boolean | null
  username: string | null
  similar: string[]
  refusal: string | null
}

const day = 86_400_000
const week = 7 * day
const year = 365 * day
const changesInAYear = 5
const answerKeptFor = 10 * 60_000
const mostAnswers = 1000

/** What buyers see of their access, and what they change about it. */
export function createAccess({ tradingView, entitlements: entitled, accessRequests }: Dependencies) {
  const { db, now, connections, deliver } = tradingView
  const answers = new Map<string, { answer: NameAnswer; at: number }>()

  /** Once in seven days and five times in a year; whoever has not been unlocked yet may correct freely. */
  async function mayChangeFrom(userId: string): Promise<Date | null> {
    const changes = await entitled.changesOf(userId)
    const [newest] = changes
    const fifth = changes[changesInAYear - 1]
    const free = Math.max(newest ? newest.at.getTime() + week : 0, fifth ? fifth.at.getTime() + year : 0)
    return free > now().getTime() ? new Date(free) : null
  }

  async function ownPurchase(userId: string, purchaseId: string) {
    const [purchase] = await db
      .select()
      .from(purchases)
      .where(and(eq(purchases.id, purchaseId), eq(purchases.userId, userId), isEntitling))
    if (!purchase) throw notFound('Purchase')
    return purchase
  }

  return {
    async mine(userId: string) {
      const live = await db
        .select()
        .from(purchases)
        .where(and(eq(purchases.userId, userId), isEntitling))
      if (live.length === 0) return []
      const rows = await db.select().from(entitlements).where(eq(entitlements.userId, userId))
      const grants = await db.select().from(tvGrants).where(eq(tvGrants.userId, userId))
      const isWorking = connections.isWorking(await connections.current())
      const changeFrom = await mayChangeFrom(userId)
      return live.map(({ id: purchaseId, productId }) => {
        const row = rows.find((each) => each.productId === productId)
        const current = grants.filter(({ usernameKey }) => usernameKey === row?.usernameKey)
        const old = grants.find((each) => each.usernameKey !== row?.usernameKey && each.isPresent)
        const isOpen = current.length > 0 && current.every(({ state }) => state === 'unlocked')
        return {
          purchaseId,
          state: stateOf(row, isOpen, isWorking),
          username: row?.username ?? null,
          similar: row?.similar ?? [],
          until: row?.until ?? null,
          reason: row?.reason ?? null,
          lastCheckedAt: latest(current),
          mayChangeFrom: isOpen ? changeFrom : null,
          oldUsername: old?.username ?? null,
        }
      })
    },

    async recheck({ user }: Actor, purchaseId: string) {
      await ownPurchase(user.id, purchaseId)
      await db.transaction((tx) => deliver(tx, user.id))
    },

    /** The new name is unlocked before the old one is locked; see `sync.ts`. */
    async changeUsername({ user }: Actor, purchaseId: string, typed: string) {
      const { productId } = await ownPurchase(user.id, purchaseId)
      const read = readUsername(typed)
      if ('refusal' in read) throw new Refusal(400, read.refusal, { fields: { username: read.refusal } })
      const { username } = read
      const [before] = await db
        .select()
        .from(entitlements)
        .where(and(eq(entitlements.userId, user.id), eq(entitlements.productId, productId)))
      const isSame = before?.usernameKey === keyOfName(username)
      const wasOpen =
        before !== undefined &&
        before.usernameKey !== null &&
        (await db.$count(
          tvGrants,
          and(
            eq(tvGrants.userId, user.id),
            eq(tvGrants.usernameKey, before.usernameKey),
            eq(tvGrants.isPresent, true),
          ),
        )) > 0
      const from = wasOpen && !isSame ? await mayChangeFrom(user.id) : null
      if (from)
        throw new Refusal(
          409,
          `You can change your TradingView username again on ${from.toLocaleDateString('en-US', { dateStyle: 'medium', timeZone: 'UTC' })}.`,
        )
      await db.transaction(async (tx) => {
        if (await entitled.takenBy(tx, productId, keyOfName(username), user.id)) {
          const message = 'This TradingView account already belongs to another customer.'
          throw new Refusal(409, message, { fields: { username: message } })
        }
        if (wasOpen && !isSame && before.usernameKey)
          await entitled.recordChange(tx, {
            userId: user.id,
            fromKey: before.usernameKey,
            toKey: keyOfName(username),
            byAdmin: null,
          })
        await accessRequests.claim(tx, { userId: user.id, purchaseId, productId, username })
      })
    },

    /** Before paying, and never in the way of it: silence is an answer too. */
    async checkUsername(typed: string): Promise<NameAnswer> {
      const read = readUsername(typed)
      const unknown = { found: null, username: null, similar: [], refusal: null }
      if ('refusal' in read) return { ...unknown, refusal: read.refusal }
      const key = keyOfName(read.username)
      const kept = answers.get(key)
      if (kept && kept.at > now().getTime() - answerKeptFor) return kept.answer
      const opened = await connections.open()
      if (!opened) return unknown
      try {
        const found = await opened.client.findName(read.username)
        const answer =
          'username' in found
            ? { ...unknown, found: true, username: found.username }
            : { ...unknown, found: false, similar: found.similar }
        if (answers.size >= mostAnswers) answers.clear()
        answers.set(key, { answer, at: now().getTime() })
        return answer
      } catch (error) {
        if (!(error instanceof TradingViewFailure)) throw error
        return unknown
      }
    },
  }
}

type Row = typeof entitlements.$inferSelect

function stateOf(row: Row | undefined, isOpen: boolean, isWorking: boolean) {
  if (isOpen) return 'unlocked' as const
  if (!isWorking) return 'manual' as const
  if (!row?.username) return 'none' as const
  if (row.problem === 'taken') return 'taken' as const
  if (row.problem) return 'name_not_found' as const
  return 'unlocking' as const
}

function latest(grants: GrantRow[]): Date | null {
  const times = grants.flatMap(({ observedAt }) => observedAt?.getTime() ?? [])
  return times.length > 0 ? new Date(Math.max(...times)) : null
}

export type Access = ReturnType<typeof createAccess>
