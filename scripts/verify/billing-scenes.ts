import { randomUUID } from 'node:crypto'
import StripeSdk from 'stripe'
import type { Scene } from './scene.ts'
import { daySeconds, draftSeconds, hourSeconds, type Stage } from './stage.ts'

const sumAmounts = (amounts: { amount: number }[]) => amounts.reduce((sum, { amount }) => sum + amount, 0)

async function failRenewal(stage: Stage) {
  const bought = await stage.buy({ priceId: await stage.monthly() })
  await stage.replaceCard(bought, 'pm_card_chargeCustomerFail')
  await stage.renew(bought.id, draftSeconds)
  return bought
}

const starting: Scene[] = [
  {
    title: 'A first payment makes a subscription active and keeps the card',
    asks: 'Which billing mode does Stripe choose if nobody names one?',
    async play(stage) {
      const { before, after } = await stage.buy({ priceId: await stage.monthly() })
      return {
        before: before.status,
        after: after.status,
        keepsCard: after.default_payment_method !== null,
        billingMode: after.billing_mode.type,
        prorationDiscounts: after.billing_mode.flexible?.proration_discounts ?? null,
      }
    },
    expected: {
      before: 'incomplete',
      after: 'active',
      keepsCard: true,
      billingMode: 'flexible',
      prorationDiscounts: 'included',
    },
  },
  {
    title: 'A cancellation at the end of the period can be taken back',
    async play(stage) {
      const { id } = await stage.buy({ priceId: await stage.monthly() })
      await stage.gateway.subscriptions.cancel(id, `cancel-${id}`)
      const cancelled = await stage.gateway.subscriptions.read(id)
      await stage.gateway.subscriptions.resume(id, `resume-${id}`)
      const resumed = await stage.gateway.subscriptions.read(id)
      const endsWithPeriod = cancelled.endsAt?.getTime() === cancelled.currentPeriodEnd.getTime()
      return { endsWithPeriod, resumed: resumed.endsAt === null, status: resumed.status }
    },
    expected: { endsWithPeriod: true, resumed: true, status: 'active' },
  },
  {
    title: 'A day in cancel_at within a paid year',
    asks: 'Does it shorten the period, and does the year stay paid as it is?',
    async play(stage) {
      const { id } = await stage.buy({ priceId: await stage.yearly() })
      const until = new Date((await stage.periodEnd(id)) * 1000)
      const endsAt = new Date((stage.now() + 40 * daySeconds) * 1000)
      await stage.gateway.subscriptions.cancel(id, `notice-${id}`, { endsAt, until, refund: 34_700 })
      const { currentPeriodEnd } = await stage.gateway.subscriptions.read(id)
      await stage.forward(41 * daySeconds)
      const ended = await stage.gateway.subscriptions.read(id)
      return {
        shortensPeriod: currentPeriodEnd.getTime() === endsAt.getTime(),
        afterwards: ended.status,
        invoices: ended.invoiceCount,
        paidUntilYearEnds: ended.periods[0]?.end.getTime() === until.getTime(),
      }
    },
    expected: { shortensPeriod: true, afterwards: 'canceled', invoices: 1, paidUntilYearEnds: true },
  },
  {
    title: 'A subscription that a schedule manages is released, then cancelled',
    async play(stage) {
      const { id } = await stage.buy({ priceId: await stage.monthly() })
      await stage.sdk.subscriptionSchedules.create({ from_subscription: id })
      const refused = await stage.sdk.subscriptions.update(id, { cancel_at_period_end: true }).then(
        () => false,
        () => true,
      )
      await stage.gateway.subscriptions.cancel(id, `scheduled-${id}`)
      const { cancel_at_period_end: ends, schedule } = await stage.subscription(id)
      return { refusesDirectly: refused, ends, schedule: schedule as string | null }
    },
    expected: { refusesDirectly: true, ends: true, schedule: null },
  },
  {
    title: 'A refusal is kept under its idempotency key',
    asks: 'Are refusals (4xx) replayed for a day, as answers are?',
    async play(stage) {
      const { paymentIntentId: payment_intent } = await stage.buy({ priceId: await stage.monthly() })
      const idempotencyKey = `verify-${randomUUID()}`
      const refund = async (amount: number) => {
        try {
          await stage.sdk.refunds.create({ payment_intent, amount }, { idempotencyKey, maxNetworkRetries: 0 })
          return { type: 'done', replayed: null }
        } catch (error) {
          if (!(error instanceof StripeSdk.errors.StripeError)) throw error
          return { type: error.type, replayed: error.headers?.['idempotent-replayed'] ?? null }
        }
      }
      const [first, same, other] = [await refund(999_900), await refund(999_900), await refund(100)]
      await stage.gateway.payments.refund(payment_intent, async () => 900)
      const { data } = await stage.sdk.refunds.list({ payment_intent })
      return { first: first.type, replayed: same.replayed, otherAmount: other.type, refundedByShop: sumAmounts(data) }
    },
    expected: {
      first: 'StripeInvalidRequestError',
      replayed: 'true',
      otherAmount: 'StripeIdempotencyError',
      refundedByShop: 900,
    },
  },
  {
    title: 'A new address replaces the old one as a whole',
    asks: 'Does an update of the address drop the parts it does not name?',
    async play(stage) {
      const { id } = await stage.newCustomer({ address: { line1: 'Ring 1', city: 'Wien', country: 'AT' } })
      const { address } = await stage.sdk.customers.update(id, { address: { country: 'DE' } })
      return { country: address?.country ?? null, city: address?.city ?? null }
    },
    expected: { country: 'DE', city: null },
  },
]

function pauseCollection(behavior: 'void' | 'mark_uncollectible' | 'keep_as_draft', invoice: string): Scene {
  return {
    title: `Paused collection (${behavior}) leaves a subscription active`,
    async play(stage) {
      const { id } = await stage.buy({ priceId: await stage.monthly() })
      await stage.sdk.subscriptions.update(id, { pause_collection: { behavior } })
      await stage.renew(id, draftSeconds)
      const { status, latestPeriodInvoice, collectionPaused } = await stage.gateway.subscriptions.read(id)
      return { status, invoice: latestPeriodInvoice?.status ?? null, isSeen: collectionPaused !== null }
    },
    expected: { status: 'active', invoice, isSeen: true },
  }
}

const renewing: Scene[] = [
  {
    title: 'A renewal is a draft for about an hour, then charged',
    async play(stage) {
      const { id } = await stage.buy({ priceId: await stage.monthly() })
      await stage.renew(id, 60)
      const draft = await stage.latestInvoice(id)
      const { status } = await stage.subscription(id)
      await stage.forward(draftSeconds)
      const paid = await stage.latestInvoice(id)
      const wait = (draft.automatically_finalizes_at ?? 0) - draft.created
      return {
        subscription: status,
        draft: draft.status,
        number: draft.number,
        finalizesWithinTwoHours: wait > 0 && wait <= 2 * hourSeconds,
        afterwards: paid.status,
        charged: paid.amount_paid,
      }
    },
    expected: {
      subscription: 'active',
      draft: 'draft',
      number: null,
      finalizesWithinTwoHours: true,
      afterwards: 'paid',
      charged: 3900,
    },
  },
  {
    title: 'A draft renewal whose subscription is cancelled',
    asks: 'Is it still charged? And does auto_advance=false, which the shop sets, stop it?',
    async play(stage) {
      const [untouched, stopped] = [
        await stage.buy({ priceId: await stage.monthly() }),
        await stage.buy({ priceId: await stage.monthly() }),
      ]
      await stage.renew(untouched.id, 60)
      for (const { id } of [untouched, stopped]) await stage.gateway.subscriptions.cancelNow(id)
      await stage.gateway.invoices.voidOpen(stopped.id)
      await stage.forward(draftSeconds)
      return {
        leftAlone: (await stage.latestInvoice(untouched.id)).status,
        stopped: (await stage.latestInvoice(stopped.id)).status,
      }
    },
    expected: { leftAlone: 'paid', stopped: 'draft' },
  },
  {
    title: 'A failed renewal that is written off, then paid',
    asks: 'Is the subscription active again once its invoice is uncollectible?',
    async play(stage) {
      const bought = await failRenewal(stage)
      const unpaid = await stage.subscription(bought.id)
      const { id } = await stage.latestInvoice(bought.id)
      await stage.sdk.invoices.markUncollectible(id)
      const writtenOff = await stage.subscription(bought.id)
      const { openInvoice } = await stage.gateway.subscriptions.read(bought.id)
      const card = await stage.sdk.paymentMethods.attach('pm_card_visa', { customer: bought.customer })
      await stage.gateway.invoices.pay(id, card.id)
      return {
        failed: unpaid.status,
        writtenOff: writtenOff.status,
        isPayable: openInvoice?.id === id,
        paid: (await stage.latestInvoice(bought.id)).status,
      }
    },
    expected: { failed: 'past_due', writtenOff: 'active', isPayable: true, paid: 'paid' },
  },
  {
    title: 'A failed renewal that was paid outside Stripe',
    asks: 'Is the payment listed with the invoice, as a payment record?',
    async play(stage) {
      const bought = await failRenewal(stage)
      const { id } = await stage.latestInvoice(bought.id)
      await stage.sdk.invoices.pay(id, { paid_out_of_band: true })
      const { payments, amount_paid: paid } = await stage.sdk.invoices.retrieve(id, { expand: ['payments'] })
      const isListed = payments?.data.some(({ payment }) => payment.type === 'payment_record') ?? false
      const { invoices } = await stage.gateway.subscriptions.read(bought.id)
      return { paid, isListed, paidOutOfBand: invoices.find((invoice) => invoice.id === id)?.paidOutOfBand ?? null }
    },
    expected: { paid: 3900, isListed: true, paidOutOfBand: 3900 },
  },
  {
    title: 'A failed renewal that is voided',
    asks: 'Is the subscription active again once its invoice is void?',
    async play(stage) {
      const bought = await failRenewal(stage)
      await stage.sdk.invoices.voidInvoice((await stage.latestInvoice(bought.id)).id)
      return { status: (await stage.subscription(bought.id)).status }
    },
    expected: { status: 'active' },
  },
  pauseCollection('void', 'void'),
  pauseCollection('mark_uncollectible', 'uncollectible'),
  pauseCollection('keep_as_draft', 'draft'),
  {
    title: 'A subscription that is paid by invoice',
    async play(stage) {
      const { id: customer } = await stage.newCustomer()
      const { id, status } = await stage.sdk.subscriptions.create({
        customer,
        items: [{ price: await stage.monthly() }],
        collection_method: 'send_invoice',
        days_until_due: 10,
      })
      await stage.forward(draftSeconds)
      const open = await stage.latestInvoice(id)
      await stage.forward(11 * daySeconds)
      const found = await stage.gateway.existing.find(id)
      return {
        start: status,
        invoice: open.status,
        daysUntilDue: Math.round(((open.due_date ?? 0) - open.created) / daySeconds),
        overdue: found?.status ?? null,
        isSeen: found?.isPaidByInvoice ?? false,
      }
    },
    expected: { start: 'active', invoice: 'open', daysUntilDue: 10, overdue: 'past_due', isSeen: true },
  },
]

export const billingScenes = [...starting, ...renewing]
