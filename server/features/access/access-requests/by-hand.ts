import { and, eq, gt } from 'drizzle-orm'
import type { Database, Transaction } from '#server/database/connect.ts'
import { accessRequests, purchases, users } from '#server/database/schema.ts'
import type { Mails } from '#server/mails/mails.ts'
import type { Connector } from './connector.ts'
import { isForHand, isOpen } from './open.ts'

type Dependencies = {
  db: Database
  now: () => Date
  mails: Mails
  connector: Pick<Connector, 'isOn'>
  supportEmail: string
}

const day = 86_400_000

/** Requests that the seller must see to, because no connector unlocks them. */
export function createByHand({ db, now, mails, connector, supportEmail }: Dependencies) {
  /** The buyer is promised an answer within a day, and the seller is asked for it; each once. */
  async function notify(
    tx: Transaction | Database,
    { id, name, email, tradingViewUsername }: Record<'id' | 'name' | 'email' | 'tradingViewUsername', string>,
  ) {
    const received = { name, tradingViewUsername }
    const requested = { ...received, email }
    await mails.sendOnce(`received ${id}`, email, 'accessRequestReceived', received, tx)
    await mails.sendOnce(`request ${id}`, supportEmail, 'accessRequested', requested, tx)
  }

  return {
    notify,

    /** What has not unlocked itself within ten minutes is promised and done by hand, as without a connector. */
    async handOver() {
      if (!(await connector.isOn())) return
      const waiting = await db
        .select({
          id: accessRequests.id,
          tradingViewUsername: accessRequests.tradingViewUsername,
          name: users.name,
          email: users.email,
        })
        .from(accessRequests)
        .innerJoin(purchases, eq(purchases.id, accessRequests.purchaseId))
        .innerJoin(users, eq(users.id, accessRequests.userId))
        .where(and(isOpen, isForHand(now()), gt(accessRequests.submittedAt, new Date(now().getTime() - day))))
      for (const request of waiting) await notify(db, request)
    },
  }
}
