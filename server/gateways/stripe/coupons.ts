import { type Client, isRefused } from './client.ts'

type WantedCoupon = {
  id: string
  code: string
  percentOff: number | null
  amountOff: number | null
  months: number | null
}

export const couponCalls = ({ sdk, ask }: Client) => ({
  /** A coupon never changes, so whoever asks first makes it. Invoices show its name. */
  async ensure({ id, code, percentOff, amountOff, months }: WantedCoupon) {
    const exists = (error: unknown) => isRefused(error, { code: 'resource_already_exists' })
    const duration = months === null ? 'forever' : months === 0 ? 'once' : 'repeating'
    await ask(
      sdk.coupons.create({
        id,
        name: code,
        duration,
        ...(months ? { duration_in_months: months } : {}),
        ...(percentOff === null
          ? { amount_off: amountOff ?? 0, currency: 'usd' }
          : { percent_off: percentOff }),
      }),
      exists,
    ).catch((error: unknown) => {
      if (!exists(error)) throw error
    })
  },
})
