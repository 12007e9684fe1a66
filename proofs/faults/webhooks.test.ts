import pg from 'pg'
import { openSandbox } from '#sandbox/sandbox.ts'
import { connect } from '#server/database/connect.ts'
import { readOutbox } from '#server/gateways/outbox.ts'
import { createStripeGateway } from '#server/gateways/stripe.ts'
import { compareBooks, countDifferent } from '#server/testing/books.ts'
import { createBuyers } from '#server/testing/buyers.ts'
import { jobsAreDone, startProcess } from '#server/testing/crashes.ts'
import { createVisitor } from '#server/testing/visitor.ts'
import { createPostman } from '#server/testing/webhooks.ts'
import type { LabShop } from '../lab/lab.ts'
import { concurrently } from '../lab/load.ts'
import { createTally } from '../lab/measures.ts'
import { fault } from './fault.ts'

const limit = { webhooks: 10_000, guestsAtOnce: 100, guestsADay: 100 }

/** Everything Stripe sends, much of it twice, shuffled, with forgeries mixed in. */
fault(
  'webhook storm',
  async ({ shop }) => {
    const side = await openPaymentSide(shop)
    try {
      await side.controls.webhooks.misbehave({ drop: true })
      const events = async () =>
        (await shop.query<{ data: object }>('select data from sandbox.events')).map(({ data }) => JSON.stringify(data))
      let bodies = await events()
      for (; bodies.length < limit.webhooks; bodies = await events()) {
        await trade(shop, side, limit.guestsAtOnce)
        await side.controls.advance(1, 'month')
      }
      const doubled = shuffled(bodies).slice(0, Math.round(bodies.length * 0.3))
      const forged = shuffled(bodies).slice(0, Math.round(limit.webhooks / 10))
      const { post, sign } = side.postman
      const answers = await sendAll(
        shuffled([
          ...[...bodies, ...doubled].map((body) => () => post(body, sign(body))),
          ...forged.map((body) => () => post(body, sign(body, { secret: 'whsec_of_a_stranger' }))),
        ]),
        32,
      )
      const { booked, different } = await side.compare()
      const mails = await readOutbox(`${shop.dataDir}/outbox`)
      // Two receipts for one buyer differ in their dates, so only identical emails are duplicates.
      const distinct = new Set(mails.map(({ to, subject, text }) => `${to} ${subject} ${text}`)).size
      const right = answers.of(200) === bodies.length + doubled.length && answers.of(400) === forged.length
      return {
        ok: right && different === 0 && mails.length === distinct && booked > 0,
        figures: `${bodies.length} webhooks, ${doubled.length} of them duplicated, shuffled, ${forged.length} forged: responses ${answers.show()}; ${booked} purchases, ${different} differ from the payment side, ${mails.length} emails, ${mails.length - distinct} duplicated`,
      }
    } finally {
      await side.close()
    }
  },
  { quick: false },
)

fault(
  'webhooks lost for 72 h',
  async ({ shop }) => {
    const side = await openPaymentSide(shop)
    try {
      await trade(shop, side, limit.guestsADay)
      await side.controls.advance(29, 'day')
      await side.controls.webhooks.flush()
      const before = await side.compare()

      await side.controls.webhooks.misbehave({ drop: true })
      for (let day = 0; day < 3; day++) {
        await trade(shop, side, limit.guestsADay)
        await side.controls.advance(1, 'day')
      }
      const meanwhile = await side.compare()

      await shop.stop()
      const reopened = await startProcess(shop)
      if (!reopened) throw new Error('The shop did not start again')
      await reopened.ask({ reconcile: true })
      const after = await side.compare()
      reopened.child.kill()
      return {
        ok: before.different === 0 && meanwhile.different > 2 * limit.guestsADay && after.different === 0,
        figures: `${before.different} of ${before.booked} purchases differ from the payment side before, ${meanwhile.different} without webhooks, ${after.different} of ${after.booked} after the reconciler`,
      }
    } finally {
      await side.close()
    }
  },
  { quick: false },
)

function shuffled<Item>(items: Item[]): Item[] {
  return items
    .map((item) => ({ item, place: Math.random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ item }) => item)
}

/** Sends this many at a time; counts the responses by status. */
async function sendAll(webhooks: (() => Promise<Response>)[], atOnce: number) {
  const answers = createTally<number>()
  const waiting = webhooks.values()
  await concurrently(atOnce, async () => {
    for (const send of waiting) answers.add((await send()).status)
  })
  return answers
}

/** The payment side of a shop: its sandbox, running outside the shop's process, with webhooks under our control. */
async function openPaymentSide(shop: LabShop) {
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
async function trade(shop: LabShop, side: PaymentSide, guests: number) {
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
      if (place === 5) await controls.closeDispute((await controls.openDispute(begun.paymentIntentId)).id, 'lost')
      if (place === 6) await cancelAtStripe(begun.paymentIntentId)
    })

  async function atStripe(paymentIntentId: string) {
    const { rows } = await side.database.query<{ id: string; customer: string }>(
      'select subscription_id as id, customer_id as customer from orders where payment_intent_id = $1',
      [paymentIntentId],
    )
    return rows[0] ?? { id: '', customer: '' }
  }

  async function failAtRenewals(paymentIntentId: string) {
    const { id, customer } = await atStripe(paymentIntentId)
    const setup = await storeCard(await stripe.customers.createSetupIntent(customer), 'pm_card_chargeCustomerFail')
    await stripe.subscriptions.useCard(id, (await stripe.customers.storedCard(setup, customer)) ?? '')
  }

  async function cancelAtStripe(paymentIntentId: string) {
    const { id } = await atStripe(paymentIntentId)
    await stripe.subscriptions.cancel(id, `storm-${id}`)
  }
}
