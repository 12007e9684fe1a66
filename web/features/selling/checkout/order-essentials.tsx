import { exactDollars } from '#contract/money.ts'
import { planOf } from '#contract/plans.ts'
import { type Tax, taxLine } from '#contract/selling/billing.ts'
import { useSettings } from '#web/api/settings.tsx'
import type { Order } from './address.ts'
import type { Offer } from './order-summary.tsx'

/** Facts that § 312j BGB requires directly above the pay button, on every screen width. */
export function OrderEssentials(props: Order & { offer: Offer; tax: Tax | undefined }) {
  const { product, billing, offer, tax } = props
  const settings = useSettings()
  const { period, months } = planOf(billing)
  const totalPrice = `Total price ${exactDollars(offer.due)}`
  const totalLine = tax ? `${totalPrice}, ${taxLine(tax)}` : `${totalPrice}. ${settings.tax.note}`
  const discountSentence = offer.discount?.charges
  if (settings.consumerLaw === 'none') {
    // No facts are required, so a price without tax and discount needs no sentence.
    const sentence = [tax && totalLine, discountSentence].filter(Boolean).join('. ')
    return sentence ? <p className="text-sm text-muted">{sentence}</p> : null
  }
  const renewal = discountSentence ?? `Renews every ${period} at ${exactDollars(offer.price)}`
  return (
    <section
      aria-label="Your order"
      className="text-sm text-pretty sm:rounded-md sm:border sm:border-line sm:bg-ground sm:p-4"
    >
      <ul className="flex flex-col gap-1.5">
        <li>
          {product.name}: {product.includes}
        </li>
        <li className="font-semibold">{totalLine}</li>
        <li>Minimum term: one {period}, paid in advance</li>
        <li>
          {renewal}
          {months > 1 ? `; from ${period} two: one month’s notice, rest refunded` : ' until you cancel'}
        </li>
        <li>Cancel any time before it renews: in your dashboard or under “Cancel contracts here”</li>
      </ul>
    </section>
  )
}
