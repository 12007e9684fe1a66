import { eq, isNotNull, sql } from 'drizzle-orm'
import type { Sandbox } from '#sandbox/sandbox.ts'
import type { Connection } from '../database/connect.ts'
import { purchases, users } from '../database/schema.ts'
import { stateOf } from '../features/purchases/purchases.ts'
import { createStripeGateway } from '../gateways/stripe.ts'

type Shop = { connection: Pick<Connection, 'db'>; sandbox: Pick<Sandbox, 'secretKey' | 'api'> }

/** What the shop has booked, and what it should have booked by what Stripe says: the two must be equal. */
export async function compareBooks({ connection: { db }, sandbox }: Shop) {
  const stripe = createStripeGateway({
    secretKey: sandbox.secretKey,
    webhookSecret: '',
    address: sandbox.api,
  })
  const booked = await db
    .select({ email: users.email, purchase: purchases })
    .from(purchases)
    .innerJoin(users, eq(users.id, purchases.userId))
    .where(isNotNull(purchases.stripeSubscriptionId))
  const { rows } = await db.execute<{ id: string; email: string }>(sql`
    select s.id, c.data->>'email' as email from sandbox.objects s
    join sandbox.objects c on c.id = s.data->>'customer'
    where s.kind = 'subscription' and s.data->>'status' not in ('incomplete', 'incomplete_expired')`)
  const wanted = await Promise.all(
    rows.map(async ({ id, email }) => ({ id, email, ...stateOf(await stripe.subscription(id)) })),
  )
  const byId = (a: { id: string }, b: { id: string }) => a.id.localeCompare(b.id)
  return {
    booked: booked
      .map(({ email, purchase }) => ({
        id: purchase.stripeSubscriptionId ?? '',
        email,
        status: purchase.status,
        lastPaidAt: purchase.lastPaidAt,
        currentPeriodEnd: purchase.currentPeriodEnd,
        endsAt: purchase.endsAt,
        pastDueSince: purchase.pastDueSince,
        failedPayments: purchase.failedPayments,
        endedAt: purchase.endedAt,
        endedBecause: purchase.endedBecause,
        refundedAmount: purchase.refundedAmount,
        isDisputed: purchase.isDisputed,
      }))
      .toSorted(byId),
    wanted: wanted.toSorted(byId),
  }
}
