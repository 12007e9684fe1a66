import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import pg from 'pg'
import { openSandbox } from '#sandbox/sandbox.ts'
import { connect } from '#server/database/connect.ts'
import { readOutbox } from '#server/gateways/outbox.ts'
import { createStripeGateway } from '#server/gateways/stripe.ts'
import { compareBooks } from '#server/testing/books.ts'
import { createBuyers } from '#server/testing/buyers.ts'
import { crashingShop, crashMany, jobsAreDone, startProcess } from '#server/testing/crashes.ts'
import { createVisitor } from '#server/testing/visitor.ts'
import { createPostman } from '#server/testing/webhooks.ts'
import { bundled } from './bundle.ts'
import type { Row } from './row.ts'
import type { Victim } from './victim.ts'

/** The payment side of a victim: its sandbox, opened beside the shop's own process, and its webhooks in our hand. */
async function openPaymentSide(victim: Victim) {
  const database = new pg.Pool({ connectionString: victim.databaseUrl, max: 5 })
  const postman = createPostman(victim)
  const webhook = { url: `${victim.url}/api/webhooks/stripe`, secret: postman.secret }
  const sandbox = await openSandbox({ database, publicUrl: victim.url, webhook })
  const { secretKey, api } = sandbox
  const stripe = createStripeGateway({ secretKey, webhookSecret: webhook.secret, address: api })
  const connection = connect(victim.databaseUrl, () => {})
  await sandbox.controls.webhooks.flush()
  // Whoever is tested, the other one is silent.
  await database.query(`delete from jobs.schedule where name = 'reconcile'`)
  return {
    ...sandbox,
    stripe,
    connection,
    database,
    postman,
    async compare() {
      await jobsAreDone(connection)
      const { booked, wanted } = await compareBooks({ connection })
      const inBooks = new Map(booked.map((row) => [row.id, row]))
      const different = wanted.filter((right) => !isDeepStrictEqual(inBooks.get(right.id), right)).length
      return { booked: booked.length, different: different + booked.length - inBooks.size }
    },
    async close() {
      await sandbox.close()
      await connection.close()
      await database.end()
    },
  }
}

type PaymentSide = Awaited<ReturnType<typeof openPaymentSide>>

/** Guests who pay and never come back from it; at Stripe things go on, in every way there is. */
async function trade(victim: Victim, side: PaymentSide, guests: number) {
  const { begin, pay, storeCard } = createBuyers(victim.url, () => side.publishableKey)
  const { controls, stripe } = side
  for (let first = 0; first < guests; first += 10)
    await Promise.all(
      Array.from({ length: Math.min(10, guests - first) }, async (_, place) => {
        const begun = await begin(createVisitor(victim.url), {
          email: `storm-${Date.now()}-${first + place}@fault.example`,
          billing: place % 5 === 0 ? 'yearly' : 'monthly',
        })
        await pay(begun)
        if (place === 1) await failAtRenewals(begun.paymentIntentId)
        if (place === 2) await controls.refund(begun.paymentIntentId)
        if (place === 3) await controls.refund(begun.paymentIntentId, 500)
        if (place === 4) await controls.openDispute(begun.paymentIntentId)
        if (place === 5)
          await controls.closeDispute((await controls.openDispute(begun.paymentIntentId)).id, 'lost')
        if (place === 6) await cancelAtStripe(begun.paymentIntentId)
      }),
    )

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

function shuffled<Item>(items: Item[]): Item[] {
  return items
    .map((item) => ({ item, place: Math.random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ item }) => item)
}

/** Sends all of them, so many at a time, and counts the answers by their status. */
async function sendAll(letters: (() => Promise<Response>)[], atOnce: number) {
  const answers = new Map<number, number>()
  let next = 0
  const sender = async () => {
    for (let letter = letters[next++]; letter; letter = letters[next++]) {
      const { status } = await letter()
      answers.set(status, (answers.get(status) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, sender))
  return answers
}

export const webhookStorm: Row = {
  name: 'webhook storm',
  async run(victim, quick) {
    const wanted = quick ? 500 : 10_000
    const side = await openPaymentSide(victim)
    try {
      await side.controls.webhooks.misbehave({ drop: true })
      const count = async () => {
        const { rows } = await side.database.query<{ n: number }>(
          'select count(*)::int as n from sandbox.events',
        )
        return rows[0]?.n ?? 0
      }
      while ((await count()) < wanted) {
        await trade(victim, side, quick ? 10 : 100)
        await side.controls.advance(1, 'month')
      }
      const { rows: events } = await side.database.query<{ data: object }>('select data from sandbox.events')
      const bodies = events.map(({ data }) => JSON.stringify(data))
      const doubled = shuffled(bodies).slice(0, Math.round(bodies.length * 0.3))
      const forged = shuffled(bodies).slice(0, Math.round(wanted / 10))
      const { post, sign } = side.postman
      const answers = await sendAll(
        shuffled([
          ...[...bodies, ...doubled].map((body) => () => post(body, sign(body))),
          ...forged.map((body) => () => post(body, sign(body, { secret: 'whsec_of_a_stranger' }))),
        ]),
        32,
      )
      const { booked, different } = await side.compare()
      const mails = readOutbox(`${victim.dataDir}/outbox`)
      // Two receipts of one buyer differ by their dates: nothing but the very same mail is doubled.
      const twice =
        mails.length - new Set(mails.map(({ to, subject, text }) => `${to} ${subject} ${text}`)).size
      const right = answers.get(200) === bodies.length + doubled.length && answers.get(400) === forged.length
      return {
        ok: right && different === 0 && twice === 0 && booked > 0,
        figures: `${bodies.length} webhooks, ${doubled.length} of them doubled, shuffled, ${forged.length} forged: answers ${[...answers].map(([status, n]) => `${status}: ${n}`).join(', ')}; ${booked} purchases, ${different} not as at the payment side, ${mails.length} mails, ${twice} doubled`,
      }
    } finally {
      await side.close()
    }
  },
}

export const webhooksLost: Row = {
  name: 'webhooks lost for 72 h',
  async run(victim, quick) {
    const guests = quick ? 10 : 100
    const side = await openPaymentSide(victim)
    try {
      await trade(victim, side, guests)
      await side.controls.advance(29, 'day')
      await side.controls.webhooks.flush()
      const before = await side.compare()

      await side.controls.webhooks.misbehave({ drop: true })
      for (let day = 0; day < 3; day++) {
        await trade(victim, side, guests)
        await side.controls.advance(1, 'day')
      }
      const meanwhile = await side.compare()

      await victim.stop()
      const shop = await startProcess(victim)
      if (!shop) throw new Error('The shop did not start again')
      await shop.ask({ reconcile: true })
      const after = await side.compare()
      shop.child.kill()
      return {
        ok: before.different === 0 && meanwhile.different > 2 * guests && after.different === 0,
        figures: `${meanwhile.different} payments were unknown or not as at the payment side, and ${after.different} of ${after.booked} after the reconciler`,
      }
    } finally {
      await side.close()
    }
  },
}

export const kills: Row = {
  name: 'kills around every commit',
  async run(victim, quick) {
    const each = quick ? 5 : 250
    await victim.stop()
    const entry = bundled(crashingShop)
    const places = [{ databaseUrl: victim.databaseUrl, dataDir: victim.dataDir, entry }]
    // Two shops die side by side, each on a database of its own: one alone leaves half of the machine idle.
    if (!quick)
      places.push({
        databaseUrl: await victim.createDatabase(),
        dataDir: mkdtempSync(join(victim.dataDir, 'second-')),
        entry,
      })
    const all = await Promise.all(places.map((place) => crashMany(place, each)))
    const sum = (key: 'payments' | 'paidBack' | 'mails' | 'lost' | 'doubled') =>
      all.reduce((total, outcome) => total + outcome[key], 0)
    const complaints = all.flatMap((outcome) => outcome.complaints)
    return {
      ok: complaints.length === 0 && sum('lost') === 0 && sum('doubled') === 0 && sum('payments') > 0,
      figures: `${each * places.length} kills: ${sum('payments')} payments (${sum('paidBack')} of them second ones, paid back), ${sum('mails')} mails, ${sum('lost')} lost, ${sum('doubled')} doubled${complaints.map((complaint) => `\n    ${complaint}`).join('')}`,
    }
  },
}
