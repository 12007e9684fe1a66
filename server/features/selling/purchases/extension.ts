import { eq } from 'drizzle-orm'
import type { Actor } from '#server/actor.ts'
import type { Audit } from '#server/audit/audit.ts'
import type { RunExclusive } from '#server/concurrency/keyed-mutex.ts'
import type { Database } from '#server/database/connect.ts'
import { users } from '#server/database/schema.ts'
import { conflict, Refusal } from '#server/errors.ts'
import type { StripeGateway } from '#server/gateways/stripe.ts'
import type { Mails } from '#server/mails/mails.ts'
import type { createBooked } from './booked.ts'
import type { Lookup, PurchaseRow } from './lookup.ts'
import { productName } from './product-name.ts'

type Dependencies = {
  db: Database
  now: () => Date
  stripe: Pick<StripeGateway, 'extend'>
  mails: Mails
  audit: Pick<Audit, 'record'>
  lookup: Lookup
  booked: Pick<ReturnType<typeof createBooked>, 'extend'>
  sync: (subscriptionId: string) => Promise<void>
  runExclusive: RunExclusive
}

const day = 86_400_000
/** Stripe moves a payment by two years at most. */
const mostDays = 730

/** The seller gives time away: the next payment, or the end, moves to a later day. */
export function createExtension(deps: Dependencies) {
  const { db, now, stripe, mails, audit, lookup, booked, sync, runExclusive } = deps

  function assertLater(until: Date, { currentPeriodEnd, endsAt }: PurchaseRow) {
    const present = endsAt ?? currentPeriodEnd ?? now()
    const refuse = (message: string) =>
      new Refusal(400, 'invalid-input', message, { fields: { until: message } })
    if (until <= present) throw refuse('Please choose a later day than the present one')
    if (until.getTime() > now().getTime() + mostDays * day) throw refuse('Two years from now at most')
  }

  return async function extend(actor: Actor, id: string, until: Date) {
    const purchase = await lookup.find(id)
    const { stripeSubscriptionId: subscriptionId, userId } = purchase
    assertLater(until, purchase)
    if (subscriptionId)
      await runExclusive(subscriptionId, async () => {
        const { status } = await lookup.find(id)
        if (status !== 'active') throw conflict('not-active', 'Only an active subscription can be extended')
        await stripe.extend(subscriptionId, until, `extend-${subscriptionId}-${until.getTime()}`)
        await sync(subscriptionId)
      })
    else await booked.extend(id, until)
    await db.transaction(async (tx) => {
      await audit.record(tx, actor, {
        action: 'purchase.extend',
        subject: id,
        aboutId: userId,
        detail: { until: until.toISOString() },
      })
      const [user] = await tx.select().from(users).where(eq(users.id, userId))
      if (user && !user.deletedAt)
        await mails.send(tx, user.email, 'subscriptionExtended', {
          name: user.name,
          product: productName(purchase.productId),
          until: until.toISOString(),
          renews: subscriptionId !== null,
        })
    })
  }
}
