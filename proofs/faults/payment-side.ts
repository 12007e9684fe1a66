import pg from 'pg'
import { openSandbox } from '#sandbox/sandbox.ts'
import { connect } from '#server/database/connect.ts'
import { createStripeGateway } from '#server/gateways/stripe.ts'
import { compareBooks, countDifferent } from '#server/testing/books.ts'
import { createBuyers } from '#server/testing/buyers.ts'
import { jobsAreDone } from '#server/testing/crashes.ts'
import { createVisitor } from '#server/testing/visitor.ts'
import { createPostman } from '#server/testing/webhooks.ts'
import { concurrently } from '../lab/concurrently.ts'
import type { LabShop } from '../lab/lab.ts'

/** The payment side of a shop: its sandbox, running outside the shop's process, with webhooks under our control. */
export async function openPaymentSide(shop: LabShop) {
  const database = new pg.Pool({ connectionString: shop.databaseUrl, max: 5 })
  const postman = createPostman(shop)
  const webhook = { url: `${shop.url}/api/webhooks/stripe`, secret: postman.secret }
  const sandbox = await openSandbox({ database, publicUrl: shop.url, webhook })
  const { secretKey, api } = sandbox
  const stripe = createStripeGateway({ secretKey, webhookSecret: webhook.secret, address: api })
  const connection = connect(shop.databaseUrl, () => {})
  await sandbox.controls.webhooks.flush()
  // Test webhooks and reconciler one at a time: the other stays silent.
  await database.query(`delete from jobs.schedule where name = 'reconcile'`)
  return {
    ...sandbox,
    stripe,
    connection,
    database,
    postman,
    async compare() {
      await jobsAreDone(connection)
      const books = await compareBooks({ connection })
      return { booked: books.booked.length, different: countDifferent(books) }
    },
    async close() {
      await sandbox.close()
      await connection.close()
      await database.end()
    },
  }
}

type PaymentSide = Awaited<ReturnType<typeof openPaymentSide>>

/** Guests who pay and never return; their subscriptions then change at Stripe in every possible way. */
export async function trade(shop: LabShop, side: PaymentSide, guests: number) {
  const { begin, pay, storeCard } = createBuyers({ url: shop.url, publishableKey: () => side.publishableKey })
  const { controls, stripe } = side
  for (let first = 0; first < guests; first += 10)
    await concurrently(Math.min(10, guests - first), async (place) => {
      const begun = await begin(createVisitor(shop.url), {
        email: `storm-${Date.now()}-${first + place}@lab.example`,
        billing: place % 5 === 0 ? 'yearly' : 'monthly',
      })
      await pay(begun)
      // Without a lag: what follows are the deeds of days, not of seconds.
      await controls.settle()
      if (place === 1) await failAtRenewals(begun.paymentIntentId)
      if (place === 2) await controls.refund(begun.paymentIntentId)
      if (place === 3) await controls.refund(begun.paymentIntentId, 500)
      if (place === 4) await controls.openDispute(begun.paymentIntentId)
      if (place === 5)
        await controls.closeDispute((await controls.openDispute(begun.paymentIntentId)).id, 'lost')
      if (place === 6) await cancelAtStripe(begun.paymentIntentId)
    })

  async function atStripe(paymentIntentId: string) {
    const { rows } = await side.database.query<{ id: string; customer: string }>(
      'select subscription_id as id, customer_id as customer from checkouts where payment_intent_id = $1',
      [paymentIntentId],
    )
    return rows[0] ?? { id: '', customer: '' }
  }

  async function failAtRenewals(paymentIntentId: string) {
    const { id, customer } = await atStripe(paymentIntentId)
    const setup = await storeCard(await stripe.createSetupIntent(customer), 'pm_card_chargeCustomerFail')
    await stripe.useCard(id, (await stripe.storedCard(setup, customer)) ?? '')
  }

  async function cancelAtStripe(paymentIntentId: string) {
    const { id } = await atStripe(paymentIntentId)
    await stripe.cancelAtPeriodEnd(id, `storm-${id}`)
  }
}
