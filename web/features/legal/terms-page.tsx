import { reboundSigmaPro, regularPrice } from '#contract/price-list.ts'
import { dollars } from '#web/ui/money.ts'
import { Link } from '#web/ui/navigation.tsx'
import { type LegalSection, LegalText } from './legal-text.tsx'
import { SellerAddress, SupportEmail, useSellerName } from './seller.tsx'

export default function TermsPage() {
  return (
    <LegalText
      title="Terms of Service"
      lead="What you buy, what it costs, how it ends, and what we are liable for. In plain words wherever the law allows."
      changed="2026-11-15"
      sections={sections}
    />
  )
}

const monthly = dollars(reboundSigmaPro.monthlyPrice)
const yearly = dollars(reboundSigmaPro.yearlyPrice)

const sections: LegalSection[] = [
  { id: 'parties', title: 'Who we are', content: <Parties /> },
  {
    id: 'service',
    title: 'What you get',
    content: (
      <>
        <p>
          A subscription to {reboundSigmaPro.name} gives you, for your own use and for as long as it runs:
        </p>
        <ul>
          <li>access to an invite-only indicator on TradingView;</li>
          <li>a strategy version of it, for backtesting;</li>
          <li>the Rebound List, a list of symbols we review at least once a month;</li>
          <li>a private dashboard with links, notes, and instructions;</li>
          <li>updates to the above, and support by email.</li>
        </ul>
        <p>
          Access on TradingView is granted within 24 hours of your access request, for which we need your
          TradingView username. You need a TradingView account of your own; its terms apply between you and
          TradingView.
        </p>
      </>
    ),
  },
  {
    id: 'account',
    title: 'Your account',
    content: (
      <>
        <p>
          You may buy with an account or as a guest. If you buy as a guest, an account is created for the
          email address you give. Please keep your password private and your details up to date.
        </p>
        <p>
          Access is personal. You may not share or resell it, or publish, copy, or reverse-engineer the
          scripts. If you do, we may end your access without a refund.
        </p>
      </>
    ),
  },
  {
    id: 'billing',
    title: 'Price and billing',
    content: (
      <>
        <p>
          The early-access price is {monthly} per month or {yearly} per year. The regular price is{' '}
          {dollars(regularPrice.monthly)} per month or {dollars(regularPrice.yearly)} per year. Prices are in
          US dollars.
        </p>
        <p>
          The subscription renews automatically at the end of each month or year, as you chose, and the same
          card is charged in advance for the next period. Payments are processed by Stripe; we never see your
          card number. If a payment fails, we let you know and try again; if it keeps failing, the
          subscription ends.
        </p>
        <p>
          If we change the price of a running subscription, we’ll email you at least 30 days before the next
          renewal, so you can cancel in time.
        </p>
      </>
    ),
  },
  {
    id: 'cancellation',
    title: 'Cancellation',
    content: (
      <p>
        You can cancel at any time in your <Link href="/dashboard">dashboard</Link>. The cancellation takes
        effect at the end of the billing period you have paid for; you retain access until then. A cancelled
        subscription is not charged again.
      </p>
    ),
  },
  {
    id: 'refunds',
    title: 'No refunds',
    content: (
      <>
        <p>
          All fees are non-refundable. There are no partial refunds for a billing period that has begun,
          whether or not you use the rest of it.
        </p>
        <p>
          You ask us to begin immediately, before any withdrawal period is over. This does not affect the
          mandatory rights you have as a consumer.
        </p>
      </>
    ),
  },
  {
    id: 'risk',
    title: 'No advice, and the risk of trading',
    content: (
      <>
        <p>
          The indicator applies rules to prices. It knows nothing about you, your means, or your goals.
          Nothing we provide is investment advice or a recommendation to buy or sell anything, and nothing is
          traded for you: every order is your own decision.
        </p>
        <p>
          Trading involves risk, and you can lose all the capital you use. Backtests show how rules would have
          behaved in the past. They do not predict future results, and we promise none.
        </p>
      </>
    ),
  },
  {
    id: 'availability',
    title: 'Availability and changes',
    content: (
      <p>
        We run the service with care but cannot promise that it is never interrupted: it depends on
        TradingView and other services beyond our control. We may improve or replace parts of it. If we ever
        end it altogether, we’ll refund what you paid for the time after that day.
      </p>
    ),
  },
  {
    id: 'liability',
    title: 'Liability',
    content: (
      <p>
        Our liability for any claim in connection with the service is limited, as far as the law allows, to
        the fees you paid us in the 12 months before the event that gave rise to the claim. We are not liable
        for trading losses, lost profits, or other indirect damages. Liability for intent and gross
        negligence, and any other liability that cannot be excluded by law, is unaffected.
      </p>
    ),
  },
  {
    id: 'changes',
    title: 'Changes to these terms',
    content: (
      <p>
        We may change these terms for the future. We’ll announce changes by email at least 30 days in advance.
        If you don’t agree, you can cancel before they take effect.
      </p>
    ),
  },
  {
    id: 'law',
    title: 'Law and venue',
    content: (
      <p>
        Swiss law applies, excluding its conflict-of-law rules and the UN Convention on Contracts for the
        International Sale of Goods. The place of jurisdiction is Solothurn, Switzerland. Mandatory venues and
        consumer protections in your country remain unaffected.
      </p>
    ),
  },
]

function Parties() {
  const name = useSellerName()
  return (
    <>
      <p>
        These terms apply between you and {name} (“we”), who runs this site. By buying a subscription or
        creating an account, you accept them.
      </p>
      <SellerAddress />
      <p>
        Questions? Write to <SupportEmail />.
      </p>
    </>
  )
}
