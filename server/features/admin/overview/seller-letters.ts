import { and, eq, gte, sql } from 'drizzle-orm'
import { needText } from '#contract/admin/need-texts.ts'
import type { Need } from '#contract/admin/overview.ts'
import { dayMs } from '#contract/dates.ts'
import type { Context } from '#server/context.ts'
import { isAcceptedPurchase, products, purchases, users } from '#server/database/schema.ts'
import { readLastTwelveMonths } from './months.ts'
import { nameOrEmail, readNewAndLostSubscribers, reasonInWords } from './pulse.ts'

type LetterContext = Pick<Context, 'db' | 'now' | 'mails' | 'settings' | 'supportEmail'>

export type SellerLetters = {
  /** Sends one email for each sale. Idempotent. */
  sendSaleEmails(): Promise<void>
  sendDailySales(): Promise<void>
  /** Sends the summary of the past week, unless the shop has neither revenue nor movements. */
  sendMondayLetter(): Promise<void>
}

/** Six hours, so that a shorter outage loses no email about a sale. */
const saleWindowMs = 6 * 3_600_000

type FindNeeds = (user: { isAdmin: true; role: null }) => Promise<(Omit<Need, 'dueAt'> & { dueAt: Date | null })[]>

export function createSellerLetters(
  { db, now, mails, settings, supportEmail }: LetterContext,
  findNeeds: FindNeeds,
): SellerLetters {
  async function readMonthlyRevenue() {
    const { months } = await readLastTwelveMonths(db, now())
    return Math.round((months.at(-1)?.arr ?? 0) / 12)
  }

  const readSales = (since: Date) =>
    db
      .select({
        id: purchases.id,
        user: { name: users.name, email: users.email },
        userId: purchases.userId,
        product: products.name,
        billingType: purchases.billingType,
        amount: sql<number>`coalesce(${purchases.lastPaidAmount}, ${purchases.price})`,
      })
      .from(purchases)
      .innerJoin(users, eq(users.id, purchases.userId))
      .innerJoin(products, eq(products.id, purchases.productId))
      .where(and(gte(purchases.createdAt, since), eq(purchases.paidThrough, 'stripe'), isAcceptedPurchase))
      .orderBy(purchases.createdAt)

  return {
    async sendSaleEmails() {
      if (settings.current.saleEmails !== 'each') return
      const sales = await readSales(new Date(now().getTime() - saleWindowMs))
      if (sales.length === 0) return
      const mrr = await readMonthlyRevenue()
      for (const { id, user, userId, product, billingType, amount } of sales)
        await mails.sendOnce(`sale ${id}`, supportEmail, 'saleMade', {
          who: nameOrEmail(user),
          customerId: userId,
          product,
          billingType,
          amount,
          mrr,
        })
    },

    async sendDailySales() {
      if (settings.current.saleEmails !== 'daily') return
      const sales = await readSales(new Date(now().getTime() - dayMs))
      if (sales.length === 0) return
      await mails.sendOnce(`sales of ${now().toISOString().slice(0, 10)}`, supportEmail, 'salesOfDay', {
        sales: sales.map(({ user, billingType, amount }) => ({ who: nameOrEmail(user), billingType, amount })),
        mrr: await readMonthlyRevenue(),
      })
    },

    async sendMondayLetter() {
      if (!settings.current.wantsMondayLetter) return
      const movements = await readNewAndLostSubscribers(db, new Date(now().getTime() - 7 * dayMs))
      const mrr = await readMonthlyRevenue()
      if (mrr === 0 && movements.length === 0) return
      const churned = movements.filter(({ kind }) => kind === 'churn')
      const needs = await findNeeds({ isAdmin: true, role: null })
      const textOf = ({ kind, count }: (typeof needs)[number]) => needText(kind, String(count)).text
      const weekEndsMs = now().getTime() + 7 * dayMs
      const isDueThisWeek = ({ dueAt }: (typeof needs)[number]) => dueAt !== null && dueAt.getTime() < weekEndsMs
      await mails.sendOnce(`letter of ${now().toISOString().slice(0, 10)}`, supportEmail, 'mondayLetter', {
        came: movements.length - churned.length,
        gone: churned.map(({ user, reason, comment }) => ({
          who: nameOrEmail(user),
          why: reasonInWords(reason, comment),
        })),
        mrr,
        due: needs.filter((need) => isDueThisWeek(need)).map(textOf),
        open: needs.filter((need) => !isDueThisWeek(need)).map(textOf),
      })
    },
  }
}
