import { and, eq, gt, isNull, lte, or, sql } from 'drizzle-orm'
import { keptSince, retention } from '#contract/retention.ts'
import type { Context } from '#server/context.ts'
import type { Transaction } from '#server/database/connect.ts'
import { seatReservations, waitlist } from '#server/database/schema.ts'
import { notFound } from '#server/errors.ts'
import { limitOf, reservedSeats, takenSeats } from './meter.ts'

const day = 86_400_000
/** How long we remember whom we told. */
const keptAfterInvitation = 7 * day
const mostInvitations = 100

/** Who wants to know when a seat is free, and when they are told. */
export function createWaitingList({ db, now, mails, catalog }: Context) {
  const ago = (milliseconds: number) => new Date(now().getTime() - milliseconds)

  async function forgetOld() {
    await db
      .delete(waitlist)
      .where(
        or(
          lte(waitlist.createdAt, keptSince(now(), retention.waitlist)),
          lte(waitlist.invitedAt, ago(keptAfterInvitation)),
        ),
      )
    await db.delete(seatReservations).where(lte(seatReservations.expiresAt, now()))
  }

  /** Those invited in the last day keep theirs. */
  async function freeSeats(tx: Transaction, productId: string): Promise<number> {
    const { limit } = await limitOf(tx, catalog, productId)
    if (limit === null) return mostInvitations
    const invited = await tx.$count(
      waitlist,
      and(eq(waitlist.productId, productId), gt(waitlist.invitedAt, ago(day))),
    )
    const kept = await reservedSeats(tx, productId, now())
    return limit - (await takenSeats(tx, productId)) - kept - invited
  }

  return {
    /** Says nothing about who is already on it. */
    async join(email: string, slug = catalog.first().slug) {
      const productId = catalog.bySlug(slug)?.id
      if (!productId) throw notFound('Product')
      await db
        .insert(waitlist)
        .values({ email, productId, createdAt: now() })
        .onConflictDoUpdate({
          target: [waitlist.productId, waitlist.email],
          set: { createdAt: now(), invitedAt: null },
          setWhere: sql`${waitlist.invitedAt} is not null`,
        })
    },

    /** As many invitations as there are free seats. */
    async invite() {
      await forgetOld()
      for (const { id: productId, name: product, slug } of catalog.onSale())
        await db.transaction(async (tx) => {
          const free = await freeSeats(tx, productId)
          if (free <= 0) return
          const next = await tx
            .select()
            .from(waitlist)
            .where(and(eq(waitlist.productId, productId), isNull(waitlist.invitedAt)))
            .orderBy(waitlist.createdAt)
            .limit(Math.min(free, mostInvitations))
            .for('update', { skipLocked: true })
          for (const { id, email } of next) {
            await tx.update(waitlist).set({ invitedAt: now() }).where(eq(waitlist.id, id))
            await mails.send(tx, email, 'seatFree', { product, slug })
          }
        })
    },
  }
}
