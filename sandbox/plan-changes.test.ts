import fc from 'fast-check'
import type { Stripe } from 'stripe'
import { expect, test } from 'vitest'
import { openTestSandbox } from './testing/open-test-sandbox.ts'

type Shop = Awaited<ReturnType<typeof openTestSandbox>>

async function monthlyBuyer(shop: Shop, card = 'pm_card_visa') {
  const { stripe, buy, price } = shop
  const yearly = await price('year', 39_000)
  const { customer, subscription } = await buy()
  if (card !== 'pm_card_visa') {
    const method = await stripe.paymentMethods.attach(card, { customer: customer.id })
    await stripe.subscriptions.update(subscription.id, { default_payment_method: method.id })
  }
  const items = [{ id: subscription.items.data[0]?.id ?? '', price: yearly.id }]
  const change = (proration_date: number) => ({
    items,
    proration_date,
    proration_behavior: 'always_invoice' as const,
    billing_cycle_anchor: { type: 'now' as const },
  })
  return {
    customer,
    id: subscription.id,
    start: subscription.items.data[0]?.current_period_start ?? 0,
    preview: (at: number) =>
      stripe.invoices.createPreview({ subscription: subscription.id, subscription_details: change(at) }),
    update: (at: number) =>
      stripe.subscriptions.update(subscription.id, {
        ...change(at),
        payment_behavior: 'pending_if_incomplete',
        metadata: { switch: 'yes' },
        expand: ['latest_invoice.payments'],
      }),
  }
}

const invoiceOf = ({ latest_invoice: invoice }: Stripe.Subscription) => invoice as Stripe.Invoice
const intentOf = (subscription: Stripe.Subscription) =>
  invoiceOf(subscription).payments?.data[0]?.payment.payment_intent as string

test('at any second, a change charges what its preview shows, and the credit is for the unused time', async () => {
  const shop = await openTestSandbox()
  const lastSecond = 27 * 86_400
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: lastSecond }),
      fc.integer({ min: 0, max: 600 }),
      fc.constantFrom(0, 10, 35),
      async (second, wait, percent) => {
        const { id, start, preview, update } = await monthlyBuyer(shop)
        const { controls } = shop.sandbox
        // The month was paid without the discount, so the credit is for the full amount.
        if (percent > 0) await controls.dashboard.applyCoupon(id, { percent })
        // The sandbox refuses to advance by zero seconds.
        if (second + wait > 0) await controls.advance(second + wait, 'second')
        const at = start + second
        const previewed = await preview(at)
        const updated = await update(at)
        const charged = invoiceOf(updated)
        expect(charged.status).toBe('paid')
        const amountsOf = ({ total, amount_due, lines }: Stripe.Invoice) => ({
          total,
          amount_due,
          lines: lines.data.map(({ amount }) => amount),
        })
        expect(amountsOf(charged)).toEqual(amountsOf(previewed))
        const [unused = 0, year = 0] = charged.lines.data.map(({ amount }) => amount)
        const end = charged.lines.data[0]?.period.end ?? 0
        expect(unused).toBe(-Math.round((3900 * (end - at)) / (end - start)))
        expect(charged.amount_paid).toBe(unused + year - Math.round((39_000 * percent) / 100))
        expect(updated).toMatchObject({ pending_update: null, metadata: { switch: 'yes' } })
        expect(updated.items.data[0]).toMatchObject({ current_period_start: charged.created })
      },
    ),
    { numRuns: 12, examples: [[0, 0, 0]] },
  )
})

test('a declined change stays pending for 23 hours; then its invoice is void and its credit restored', async () => {
  const shop = await openTestSandbox()
  const { stripe, sandbox, events } = shop
  const { id, start, customer, update } = await monthlyBuyer(shop, 'pm_card_chargeCustomerFail')
  await sandbox.controls.dashboard.giveCredit(customer.id, 500)
  const original = await stripe.subscriptions.retrieve(id)
  const waiting = await update(start)
  expect(waiting).toMatchObject({ status: 'active', metadata: {}, items: original.items })
  expect(waiting.pending_update).toMatchObject({
    expires_at: invoiceOf(waiting).created + 23 * 3600,
    metadata: { switch: 'yes' },
  })
  expect(invoiceOf(waiting)).toMatchObject({ status: 'open', amount_due: 39_000 - 3900 - 500 })

  await stripe.invoices.voidInvoice(invoiceOf(waiting).id)
  const { latest_invoice: _, ...restored } = await stripe.subscriptions.retrieve(id)
  expect(original).toMatchObject(restored)
  expect(await stripe.customers.retrieve(customer.id)).toMatchObject({ balance: -500 })

  const secondChange = await update(start)
  await sandbox.controls.advance(1, 'day')
  expect(await stripe.subscriptions.retrieve(id)).toMatchObject({ pending_update: null, status: 'active' })
  expect(await stripe.invoices.retrieve(invoiceOf(secondChange).id)).toMatchObject({ status: 'void' })
  await expect(stripe.invoices.pay(invoiceOf(secondChange).id)).rejects.toMatchObject({ statusCode: 400 })
  await expect.poll(() => events.map(({ type }) => type)).toContain('customer.subscription.pending_update_expired')
})

test('a plan change that needs 3-D Secure applies once it is confirmed, prorated as of the request', async () => {
  const shop = await openTestSandbox()
  const { stripe, sandbox } = shop
  const { id, start, update } = await monthlyBuyer(shop, 'pm_card_authenticationRequired')
  const failed = await update(start)
  await sandbox.controls.authenticate(intentOf(failed), 'fail')
  expect(await stripe.subscriptions.retrieve(id)).toMatchObject({ status: 'active' })

  const waiting = await update(start)
  expect(await stripe.invoices.retrieve(invoiceOf(failed).id)).toMatchObject({ status: 'void' })
  await sandbox.controls.advance(1, 'hour')
  await sandbox.controls.authenticate(intentOf(waiting), 'complete')
  await sandbox.controls.settle()
  const switched = await stripe.subscriptions.retrieve(id)
  expect(switched).toMatchObject({ pending_update: null, billing_cycle_anchor: invoiceOf(waiting).created })
  expect(switched.items.data[0]?.price.unit_amount).toBe(39_000)
})
