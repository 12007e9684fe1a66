import { and, eq, inArray, isNotNull } from 'drizzle-orm'
import { keyOfName, readUsername } from '#contract/tradingview-name.ts'
import type { Transaction } from '#server/database/connect.ts'
import { accessRequests, users } from '#server/database/schema.ts'
import type { Mails } from '#server/mails/mails.ts'
import { replaceOlderGrants } from './unpaid.ts'

type Telling = { mails: Pick<Mails, 'send'>; at: Date }

const isNamed = (typed: string, usernameKey: string) => {
  const read = readUsername(typed)
  return 'username' in read && keyOfName(read.username) === usernameKey
}

/** A connector has seen this name unlocked: the request is granted, the buyer hears of it, the keys go. */
export async function recordUnlocked(
  tx: Transaction,
  { mails, at }: Telling,
  userId: string,
  usernameKey: string,
) {
  const open = await tx
    .select({ id: accessRequests.id, tradingViewUsername: accessRequests.tradingViewUsername })
    .from(accessRequests)
    .where(and(eq(accessRequests.userId, userId), eq(accessRequests.status, 'requested')))
    .for('update')
  const ids = open.filter(({ tradingViewUsername: name }) => isNamed(name, usernameKey)).map(({ id }) => id)
  if (ids.length === 0) return
  await tx
    .update(accessRequests)
    .set({ status: 'granted', decidedAt: at, sealedKeys: null })
    .where(inArray(accessRequests.id, ids))
  await replaceOlderGrants(tx, ids, at)
  const [to] = await tx.select().from(users).where(eq(users.id, userId))
  if (to && !to.deletedAt)
    await mails.send(tx, to.email, 'accessGranted', { name: to.name, tradingViewUsername: usernameKey })
}

/** A connector has seen this name locked: what was granted and has ended is revoked. */
export async function recordLocked(
  tx: Transaction,
  { mails, at }: Telling,
  userId: string,
  usernameKey: string,
) {
  const ended = await tx
    .select({ id: accessRequests.id, tradingViewUsername: accessRequests.tradingViewUsername })
    .from(accessRequests)
    .where(
      and(
        eq(accessRequests.userId, userId),
        eq(accessRequests.status, 'granted'),
        isNotNull(accessRequests.endedAt),
      ),
    )
    .for('update')
  const ids = ended.filter(({ tradingViewUsername: name }) => isNamed(name, usernameKey)).map(({ id }) => id)
  if (ids.length === 0) return
  const [to] = await tx.select().from(users).where(eq(users.id, userId))
  await tx
    .update(accessRequests)
    // A deleted person's username was kept only so it could be revoked.
    .set({ status: 'revoked', decidedAt: at, ...(to?.deletedAt ? { tradingViewUsername: '' } : {}) })
    .where(inArray(accessRequests.id, ids))
  if (to && !to.deletedAt)
    await mails.send(tx, to.email, 'accessRevoked', { name: to.name, tradingViewUsername: usernameKey })
}

/** The names, in lower case, that this shop's admins have let in for this person: those are the shop's own. */
export async function namesGrantedByHand(tx: Transaction, userId: string): Promise<Set<string>> {
  const rows = await tx
    .select({ name: accessRequests.tradingViewUsername })
    .from(accessRequests)
    .where(
      and(
        eq(accessRequests.userId, userId),
        eq(accessRequests.status, 'granted'),
        isNotNull(accessRequests.decidedBy),
      ),
    )
  return new Set(
    rows.flatMap(({ name }) => {
      const read = readUsername(name)
      return 'username' in read ? [keyOfName(read.username)] : []
    }),
  )
}
