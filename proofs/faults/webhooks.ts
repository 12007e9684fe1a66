import { readOutbox } from '#server/gateways/outbox.ts'
import { startProcess } from '#server/testing/crashes.ts'
import { concurrently } from '../lab/concurrently.ts'
import { createTally } from '../lab/tally.ts'
import { openPaymentSide, trade } from './payment-side.ts'
import type { Row } from './row.ts'

/** Everything Stripe sends, much of it twice, shuffled, with forgeries mixed in. */
export const webhookStorm: Row = {
  name: 'webhook storm',
  async run({ shop, limits: { webhookStorm: limit } }) {
    const side = await openPaymentSide(shop)
    try {
      await side.controls.webhooks.misbehave({ drop: true })
      const events = async () =>
        (await shop.query<{ data: object }>('select data from sandbox.events')).map(({ data }) =>
          JSON.stringify(data),
        )
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
}

export const webhooksLost: Row = {
  name: 'webhooks lost for 72 h',
  async run({ shop, limits: { webhooksLost: limit } }) {
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
}

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
