import StripeSdk from 'stripe'

type Account = { secretKey: string; api: { protocol: 'http' | 'https'; host: string; port: number } }
type SubscriptionInput = {
  email: string
  name?: string
  product?: string
  amount?: number
  currency?: string
  interval?: 'week' | 'month' | 'year'
  /** Of an earlier subscription. */
  priceId?: string | undefined
}

export async function subscribeAtStripe({ secretKey, api }: Account, input: SubscriptionInput) {
  const { email, name, product = 'Old indicator', amount = 2900, currency = 'usd', interval = 'month' } = input
  const sdk = new StripeSdk(secretKey, api)
  async function createPrice() {
    const terms = { unit_amount: amount, currency, recurring: { interval } }
    const price = await sdk.prices.create({ product_data: { name: product }, ...terms })
    return price.id
  }
  const priceId = input.priceId ?? (await createPrice())
  const customer = await sdk.customers.create({ email, ...(name ? { name } : {}) })
  const { id, latest_invoice: invoice } = await sdk.subscriptions.create({
    customer: customer.id,
    items: [{ price: priceId }],
    payment_behavior: 'default_incomplete',
    payment_settings: { save_default_payment_method: 'on_subscription' },
    expand: ['latest_invoice.payments'],
  })
  const payment = typeof invoice === 'object' ? invoice?.payments?.data[0]?.payment.payment_intent : undefined
  const paymentIntentId = typeof payment === 'string' ? payment : (payment?.id ?? '')
  await sdk.paymentIntents.confirm(paymentIntentId, { payment_method: 'pm_card_visa' })
  return { id, priceId, paymentIntentId, sdk }
}
