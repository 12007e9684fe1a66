import type { Scene } from './scene.ts'
import { daySeconds, draftSeconds, type Stage } from './stage.ts'

/** Buys with a card that Stripe disputes, and submits the text that decides a test dispute. */
async function dispute(stage: Stage, evidence: 'winning_evidence' | 'losing_evidence') {
  const bought = await stage.buy({ priceId: await stage.monthly(), card: 'pm_card_createDispute' })
  await stage.forward(2 * daySeconds)
  const { data } = await stage.pollUntil(
    () => stage.sdk.disputes.list({ payment_intent: bought.paymentIntentId }),
    (found) => found.data.length > 0,
  )
  const id = data[0]?.id ?? ''
  await stage.sdk.disputes.update(id, { evidence: { uncategorized_text: evidence }, submit: true })
  const closedDispute = await stage.pollUntil(
    () => stage.sdk.disputes.retrieve(id),
    ({ status }) => status === 'won' || status === 'lost',
  )
  const { payments } = await stage.gateway.subscriptions.read(bought.id)
  return {
    status: closedDispute.status,
    amount: closedDispute.amount,
    moved: closedDispute.balance_transactions.reduce((sum, { amount }) => sum + amount, 0),
    settlesIn: closedDispute.balance_transactions[0]?.currency ?? null,
    seen: payments[0]?.dispute ?? null,
  }
}

export const moneyScenes: Scene[] = [
  {
    title: 'A switch charges what its preview said',
    async play(stage) {
      const { id } = await stage.buy({ priceId: await stage.monthly() })
      await stage.forward(10 * daySeconds)
      const before = await stage.gateway.subscriptions.read(id)
      const target = { priceId: await stage.yearly(), at: new Date(stage.now() * 1000) }
      const offer = await stage.gateway.planSwitches.preview(before, target)
      if (offer === 'price is gone') throw new Error(offer)
      await stage.gateway.planSwitches.begin(before, { ...target, switchId: 'verify' })
      const after = await stage.gateway.subscriptions.read(id)
      const credited = offer.lines.some(({ kind, amount }) => kind === 'unused' && amount < 0)
      return { chargedAsSaid: after.payments[0]?.amount === offer.due, credited, plan: after.plan.billing }
    },
    expected: { chargedAsSaid: true, credited: true, plan: 'yearly' },
  },
  {
    title: 'A switch that the bank declines changes nothing, and ends with its invoice',
    async play(stage) {
      const bought = await stage.buy({ priceId: await stage.monthly() })
      await stage.replaceCard(bought, 'pm_card_chargeCustomerFail')
      const before = await stage.gateway.subscriptions.read(bought.id)
      const target = { priceId: await stage.yearly(), at: new Date(stage.now() * 1000), switchId: 'verify' }
      await stage.gateway.planSwitches.begin(before, target)
      const waiting = await stage.gateway.subscriptions.read(bought.id)
      await stage.gateway.planSwitches.drop(waiting)
      const after = await stage.gateway.subscriptions.read(bought.id)
      return {
        waits: waiting.pending !== null,
        planMeanwhile: waiting.plan.billing,
        status: waiting.status,
        dropped: after.pending === null,
        plan: after.plan.billing,
      }
    },
    expected: { waits: true, planMeanwhile: 'monthly', status: 'active', dropped: true, plan: 'monthly' },
  },
  {
    title: 'A pending invoice item is on the next renewal, and its preview says so',
    asks: 'Is it on the invoice of a switch, too?',
    async play(stage) {
      const { id, customer } = await stage.buy({ priceId: await stage.monthly() })
      const item = { customer, subscription: id, amount: 900, currency: 'usd', discountable: false }
      await stage.sdk.invoiceItems.create(item)
      const { amount_due: said } = await stage.sdk.invoices.createPreview({ subscription: id })
      const found = await stage.gateway.subscriptions.read(id)
      const target = { priceId: await stage.yearly(), at: new Date(stage.now() * 1000) }
      const offer = await stage.gateway.planSwitches.preview(found, target)
      if (offer === 'price is gone') throw new Error(offer)
      await stage.renew(id, draftSeconds)
      const renewal = await stage.latestInvoice(id)
      const { periods } = await stage.gateway.subscriptions.read(id)
      return {
        said,
        charged: renewal.amount_paid,
        onSwitch: offer.due === 39_900 - 3900,
        yearlyRevenue: periods.at(-1)?.rate.arr ?? null,
      }
    },
    expected: { said: 4800, charged: 4800, onSwitch: true, yearlyRevenue: 46_800 },
  },
  {
    title: 'A credit note by amount takes back its share of the tax',
    asks: 'Is the tax of a credit note proportional if only its amount is given? (Needs Stripe Tax and a registration in Germany.)',
    async play(stage) {
      const priceId = await stage.price({ amount: 3900, interval: 'month', tax_behavior: 'inclusive' })
      const { id, paymentIntentId } = await stage.buy({ priceId, country: 'DE' })
      const { tax } = (await stage.gateway.subscriptions.read(id)).periods[0] ?? {}
      await stage.gateway.payments.refund(paymentIntentId, async () => 1000)
      const { payments } = await stage.gateway.subscriptions.read(id)
      const refundIds = payments.flatMap(({ refunds }) => refunds.map((refund) => refund.id))
      await stage.gateway.invoices.creditRefunds(id, refundIds)
      const [note] = (await stage.gateway.subscriptions.read(id)).creditNotes
      return { tax: tax?.amount ?? null, credited: note?.total ?? null, creditedTax: note?.tax ?? null }
    },
    expected: { tax: 623, credited: 1000, creditedTax: 160 },
  },
  {
    title: 'Tax on top of a price is charged, and is no revenue',
    asks: '(Needs Stripe Tax and a registration in Germany.)',
    async play(stage) {
      const priceId = await stage.price({ amount: 3900, interval: 'month', tax_behavior: 'exclusive' })
      const { id } = await stage.buy({ priceId, country: 'DE' })
      const { payments, periods } = await stage.gateway.subscriptions.read(id)
      return {
        charged: payments[0]?.amount ?? null,
        tax: periods[0]?.tax?.amount ?? null,
        arr: periods[0]?.rate.arr ?? null,
      }
    },
    expected: { charged: 4641, tax: 741, arr: 46_800 },
  },
  {
    title: 'A dispute that is won',
    asks: 'On an account that settles in another currency: by how much does what comes back differ from what was taken?',
    play: (stage) => dispute(stage, 'winning_evidence'),
    expected: { status: 'won', amount: 3900, moved: 0, settlesIn: 'usd', seen: 'won' },
  },
  {
    title: 'A dispute that is lost',
    play: (stage) => dispute(stage, 'losing_evidence'),
    expected: { status: 'lost', amount: 3900, moved: -3900, settlesIn: 'usd', seen: 'lost' },
  },
]
