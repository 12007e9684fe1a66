import { and, eq } from 'drizzle-orm'
import type { Actor } from '#server/actor.ts'
import { isLivePurchase } from '#server/database/live-purchase.ts'
import { entitlements, purchases, tvGrants } from '#server/database/schema.ts'
import { notFound } from '#server/errors.ts'
import {
  type AccessRequests,
  connectorPatience,
} from '#server/features/access/access-requests/access-requests.ts'
import type { EntitlementRow, Entitlements } from '#server/features/access/entitlements/entitlements.ts'
import type { TradingView } from '../connector.ts'
import type { GrantRow } from '../sync/grants.ts'
import { createNameChange } from './name-change.ts'
import { createNameCheck } from './name-check.ts'

type Dependencies = {
  tradingView: TradingView
  entitlements: Pick<Entitlements, 'changesOf' | 'recordChange' | 'claimable' | 'recheckName'>
  accessRequests: Pick<AccessRequests, 'claim'>
}

export type Access = ReturnType<typeof createAccess>

/** What buyers see of their access, and what they change about it. */
export function createAccess(deps: Dependencies) {
  const { db, now, connections } = deps.tradingView
  const { mayChangeFrom, changeName } = createNameChange(deps)

  async function ownPurchase(userId: string, purchaseId: string) {
    const [purchase] = await db
      .select()
      .from(purchases)
      .where(and(eq(purchases.id, purchaseId), eq(purchases.userId, userId), isLivePurchase))
    if (!purchase) throw notFound('Purchase')
    return purchase
  }

  return {
    async mine(userId: string) {
      const live = await db
        .select()
        .from(purchases)
        .where(and(eq(purchases.userId, userId), isLivePurchase))
      if (live.length === 0) return []
      const rows = await db.select().from(entitlements).where(eq(entitlements.userId, userId))
      const grants = await db.select().from(tvGrants).where(eq(tvGrants.userId, userId))
      const isWorking = connections.isWorking(await connections.current())
      const changeFrom = await mayChangeFrom(userId)
      const isHandedOver = ({ state, failingSince }: GrantRow) =>
        state === 'stuck' ||
        (failingSince !== null && now().getTime() - failingSince.getTime() >= connectorPatience)
      return live.map(({ id: purchaseId, productId }) => {
        const row = rows.find((each) => each.productId === productId)
        const current = grants.filter(({ usernameKey }) => usernameKey === row?.usernameKey)
        const old = grants.find((each) => each.usernameKey !== row?.usernameKey && each.isPresent)
        const isOpen = current.length > 0 && current.every(({ state }) => state === 'unlocked')
        return {
          purchaseId,
          state: stateOf(row, isOpen, isWorking && !current.some(isHandedOver)),
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
      await db.transaction((tx) => deps.entitlements.recheckName(tx, user.id))
    },

    async changeUsername({ user }: Actor, purchaseId: string, typed: string) {
      const { productId } = await ownPurchase(user.id, purchaseId)
      await changeName(user.id, { purchaseId, productId }, typed)
    },

    checkUsername: createNameCheck(deps.tradingView),
  }
}

function stateOf(row: EntitlementRow | undefined, isOpen: boolean, isWorking: boolean) {
  if (isOpen) return 'unlocked' as const
  if (!isWorking || row?.withheldSince) return 'manual' as const
  if (!row?.username) return 'none' as const
  if (row.problem === 'taken') return 'taken' as const
  if (row.problem) return 'name_not_found' as const
  return 'unlocking' as const
}

function latest(grants: GrantRow[]): Date | null {
  const times = grants.flatMap(({ observedAt }) => observedAt?.getTime() ?? [])
  return times.length > 0 ? new Date(Math.max(...times)) : null
}
