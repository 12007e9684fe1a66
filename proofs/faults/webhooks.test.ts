import pg from 'pg'
import { openSandbox } from '#sandbox/sandbox.ts'
import { connect } from '#server/database/connect.ts'
import { readOutbox } from '#server/gateways/outbox.ts'
import { createStripeGateway } from '#server/gateways/stripe.ts'
import { compareBooks } from '#server/testing/books.ts'
import { createBuyers } from '#server/testing/buyers.ts'
import { jobsAreDone, startProcess } from '#server/testing/crashes.ts'
import { createVisitor } from '#server/testing/visitor.ts'
import { createPostman } from '#server/testing/webhooks.ts'
import { countDifferent } from '../lab/books.ts'
import type { LabShop } from '../lab/lab.ts'
import { concurrently } from '../lab/load.ts'
import { createTally } from '../lab/measures.ts'
import { fault } from './fault.ts'

const limit = { webhooks: 10_000, guestsAtOnce: 100, guestsADay: 100 }

/** Sends every event of the sandbox in random order, 30 % of them twice, with forged ones in between. */
fault(
  'webhook storm',
  async ({ shop }) => {
    const side = await openPaymentSide(shop)
    try {
      await side.controls.webhooks.behave({ drop: true })
      const readBodies = async () => {
        const events = await shop.query<{ data: object }>('select data from sandbox.events')
        return events.map(({ data }) => JSON.stringify(data))
      }
      let bodies = await readBodies()
      while (bodies.length < limit.webhooks) {
        await buyAsGuests(shop, side, limit.guestsAtOnce)
        await side.controls.advance(1, 'month')
        bodies = await readBodies()
      }
      const doubled = shuffled(bodies).slice(0, Math.round(bodies.length * 0.3))
      const forged = shuffled(bodies).slice(0, Math.round(limit.webhooks / 10))
      const { post, sign } = side.postman
      const sendSigned = [...bodies, ...doubled].map((body) => () => post(body, sign(body)))
      const sendForged = forged.map((body) => () => post(body, sign(body, { secret: 'whsec_of_a_stranger' })))
      const answers = await sendAll(shuffled([...sendSigned, ...sendForged]), 32)
      const { booked, different } = await side.compare()
      const mails = await readOutbox(`${shop.dataDir}/outbox`)
      // Two receipts for one buyer differ in their dates, so only identical emails are duplicates.
      const distinctMails = new Set(mails.map(({ to, subject, text }) => `${to} ${subject} ${text}`)).size
      const isEveryAnswerRight = answers.of(200) === bodies.length + doubled.length && answers.of(400) === forged.length
      return {
        ok: isEveryAnswerRight && different === 0 && mails.length === distinctMails && booked > 0,
        figures: `${bodies.length} webhooks, ${doubled.length} of them duplicated, shuffled, ${forged.length} forged: responses ${answers.show()}; ${booked} purchases, ${different} differ from the payment side, ${mails.length} emails, ${mails.length - distinctMails} duplicated`,
      }
    } finally {
      await side.close()
    }
  },
  { isInQuickRun: false },
)

fault(
  'webhooks lost for 72 h',
  async ({ shop }) => {
    const side = await openPaymentSide(shop)
    try {
      await buyAsGuests(shop, side, limit.guestsADay)
      await side.controls.advance(29, 'day')
      await side.controls.webhooks.flush()
      const before = await side.compare()

      await side.controls.webhooks.behave({ drop: true })
      for (let day = 0; day < 3; day++) {
        await buyAsGuests(shop, side, limit.guestsADay)
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
  { isInQuickRun: false },
)

function shuffled<Item>(items: Item[]): Item[] {
  const placedItems = items.map((item) => ({ item, place: Math.random() }))
  return placedItems.toSorted((a, b) => a.place - b.place).map(({ item }) => item)
}

async function sendAll(webhooks: (() => Promise<Response>)[], atOnce: number) {
  const answers = createTally<number>()
  const waiting = webhooks.values()
  await concurrently(atOnce, async () => {
    for (const send of waiting) answers.add((await send()).status)
  })
  return answers
}

/** Opens the shop's sandbox in this process, where the proof controls its webhooks. */
async function openPaymentSide(shop: LabShop) {
  const database = new pg.Pool({ connectionString: shop.databaseUrl, max: 5 })
  const postman = createPostman(shop)
  const webhook = { url: `${shop.url}/api/webhooks/stripe`, secret: postman.secret }
  const sandbox = await openSandbox({ database, publicUrl: shop.url, webhook })
  const { secretKey, api } = sandbox
  const stripe = createStripeGateway({ secretKey, webhookSecret: webhook.secret, address: api })
  const connection = connect(shop.databaseUrl, () => {})
  await sandbox.controls.webhooks.flush()
  // Without its schedule, the reconciler runs only when a proof asks for it.
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

/** Guests pay and never return. Some of their subscriptions change at Stripe: refunds, disputes, failed renewals, cancellation. */
async function buyAsGuests(shop: LabShop, side: PaymentSide, guests: number) {
  const { begin, pay, storeCard } = createBuyers({ url: shop.url, publishableKey: () => side.publishableKey })
  const { controls, stripe } = side
  for (let first = 0; first < guests; first += 10)
    await concurrently(Math.min(10, guests - first), async (index) => {
      const order = await begin(createVisitor(shop.url), {
        email: `storm-${Date.now()}-${first + index}@lab.example`,
        billing: index % 5 === 0 ? 'yearly' : 'monthly',
      })
      await pay(order)
      // Waits for the delayed effects, because the following changes happen days later in reality.
      await controls.settle()
      if (index === 1) await useFailingCard(order.paymentIntentId)
      if (index === 2) await controls.refund(order.paymentIntentId)
      if (index === 3) await controls.refund(order.paymentIntentId, 500)
      if (index === 4) await controls.openDispute(order.paymentIntentId)
      if (index === 5) await controls.closeDispute((await controls.openDispute(order.paymentIntentId)).id, 'lost')
      if (index === 6) await cancelAtStripe(order.paymentIntentId)
    })

  async function subscriptionOf(paymentIntentId: string) {
    const { rows } = await side.database.query<{ id: string; customer: string }>(
      'select subscription_id as id, customer_id as customer from orders where payment_intent_id = $1',
      [paymentIntentId],
    )
    return rows[0] ?? { id: '', customer: '' }
  }

  async function useFailingCard(paymentIntentId: string) {
    const { id, customer } = await subscriptionOf(paymentIntentId)
    const setup = await storeCard(await stripe.customers.createSetupIntent(customer), 'pm_card_chargeCustomerFail')
    await stripe.subscriptions.useCard(id, (await stripe.customers.storedCard(setup, customer)) ?? '')
  }

  async function cancelAtStripe(paymentIntentId: string) {
    const { id } = await subscriptionOf(paymentIntentId)
    await stripe.subscriptions.cancel(id, `storm-${id}`)
  }
}
