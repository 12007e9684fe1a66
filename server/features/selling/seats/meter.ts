import { and, eq, gt, isNull, lte, sql } from 'drizzle-orm'
import { reboundSigmaPro } from '#contract/selling/price-list.ts'
import type { Database } from '#server/database/connect.ts'
import { isLivePurchase } from '#server/database/live-purchase.ts'
import { entitlements, purchases, tvConnection, waitlist } from '#server/database/schema.ts'
import type { Mails } from '#server/mails/mails.ts'
import { limitOf, strangers, takenSeats } from './counts.ts'

type Dependencies = { db: Database; now: () => Date; mails: Mails; supportEmail: string }

const day = 86_400_000
/** New buyers are counted over this many days. */
const paceDays = 30
/** TradingView is reported to bill for everyone once there are more than this. */
const billedAbove = 100
const nearFrom = 90

/** How many people have access, how many it will be on the month's last day, and when the seller is warned. */
export function createMeter({ db, now, mails, supportEmail }: Dependencies) {
  const productId = reboundSigmaPro.id

  const endingBy = (date: Date) =>
    db.$count(
      entitlements,
      and(
        eq(entitlements.productId, productId),
        sql`${entitlements.reason} in ('ends', 'unpaid')`,
        lte(entitlements.until, date),
      ),
    )

  const boughtSince = (date: Date) =>
    db.$count(
      purchases,
      and(eq(purchases.productId, productId), isLivePurchase, gt(purchases.createdAt, date)),
    )

  return {
    async meter() {
      const at = now()
      const lastDay = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 0))
      const monthEnd = lastDay.getTime() + day
      const daysLeft = Math.max(0, Math.ceil((monthEnd - at.getTime()) / day))
      const people = await takenSeats(db, productId)
      const { limit } = await limitOf(db)
      const endBefore = await endingBy(new Date(monthEnd))
      const recent = await boughtSince(new Date(at.getTime() - paceDays * day))
      const newAtThisPace = Math.round((recent / paceDays) * daysLeft)
      return {
        people,
        foreign: await strangers(db),
        limit,
        lastDay,
        forecast: Math.max(0, people - endBefore + newAtThisPace),
        endBefore,
        newAtThisPace,
        waiting: await db.$count(waitlist, isNull(waitlist.invitedAt)),
        level: levelOf(people),
      }
    },

    /** At 90 and at 100 people, each once a month. */
    async warn() {
      const [row] = await db.select({ state: tvConnection.state }).from(tvConnection)
      if (!row || row.state === 'off') return
      const people = await takenSeats(db, productId)
      const step = people >= billedAbove ? billedAbove : people >= nearFrom ? nearFrom : 0
      if (step === 0) return
      const { limit } = await limitOf(db)
      const occasion = `seats ${step} ${now().toISOString().slice(0, 7)}`
      await mails.sendOnce(occasion, supportEmail, 'tradingViewSeats', { people, limit })
    },
  }
}

function levelOf(people: number) {
  if (people >= billedAbove) return 'full' as const
  return people >= nearFrom ? ('near' as const) : ('calm' as const)
}
