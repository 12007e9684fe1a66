import { type LegalText, link, type Party, sentence } from './text.ts'
import { modelForm, withdrawalInstruction } from './withdrawal.ts'

type SoldProduct = { name: string; terms: string[] }
/** For example "Swiss law" and "Solothurn, Switzerland". */
export type LawAndVenue = { law: string; venue: string }

export function terms(
  party: Party,
  options: { consumerLaw: 'eu' | 'none'; taxNote: string; productsOnSale: SoldProduct[]; law: LawAndVenue },
) {
  const { consumerLaw, taxNote, productsOnSale, law } = options
  const isEu = consumerLaw === 'eu'
  const requestToBegin =
    'You ask us to begin immediately, before any withdrawal period is over. This does not affect the mandatory rights you have as a consumer.'
  /** Suffix for sentences that would otherwise contradict consumer rights. */
  const exceptConsumerRights = isEu ? ', except for your consumer rights below' : ''
  const sections: LegalText[] = [
    {
      id: 'parties',
      title: 'Who we are',
      blocks: [
        `These terms apply between you and ${party.name} (“we”), who runs this site. By buying a subscription or creating an account, you accept them.`,
        [party.name, ...party.address].join(', '),
        sentence`Questions? Write to ${link(party.email, `mailto:${party.email}`)}.`,
      ],
    },
    {
      id: 'service',
      title: 'What you get',
      blocks: [
        ...productsOnSale.flatMap(({ name, terms: list }) => [
          `A subscription to ${name} gives you, for your own use and for as long as it runs:`,
          { list },
        ]),
        'Access on TradingView is granted within 24 hours of your access request, for which we need your TradingView username. You need a TradingView account of your own; its terms apply between you and TradingView.',
      ],
    },
    {
      id: 'account',
      title: 'Your account',
      blocks: [
        'You may buy with an account or as a guest. If you buy as a guest, an account is created for the email address you give. Please keep your password private and your details up to date.',
        `Access is personal. You may not share or resell it, or publish, copy, or reverse-engineer the scripts. If you do, we may end your access without a refund${exceptConsumerRights}.`,
      ],
    },
    {
      id: 'billing',
      title: 'Price and billing',
      blocks: [
        `You pay the price that the checkout shows before you order, in US dollars. ${taxNote}`,
        'The subscription renews automatically at the end of each period that you chose, and the same card is charged in advance for the next period. Payments are processed by Stripe; we never see your card number. If a payment fails, we let you know and try again; if it keeps failing, the subscription ends.',
        'You can switch to the longest plan in your dashboard. It is a new order: its first period begins right away at the price shown, and what you paid for the unused part of the present one is credited.',
        'You keep that price for as long as your subscription runs. A new price applies to new subscriptions only.',
      ],
    },
    {
      id: 'cancellation',
      title: 'Cancellation',
      blocks: [
        sentence`You can cancel at any time in your ${link('dashboard', '/dashboard')}. The cancellation takes effect at the end of the billing period you have paid for${exceptConsumerRights}; you retain access until then. A cancelled subscription is not charged again.`,
      ],
    },
    {
      id: 'refunds',
      title: 'No refunds',
      blocks: [
        `All fees are non-refundable${exceptConsumerRights}. There are no partial refunds for a billing period that has begun, whether or not you use the rest of it${exceptConsumerRights}.`,
        ...(isEu ? [] : [requestToBegin]),
      ],
    },
    ...(isEu ? consumerRights(party) : []),
    {
      id: 'risk',
      title: 'No advice, and the risk of trading',
      blocks: [
        'The indicator applies rules to prices. It knows nothing about you, your means, or your goals. Nothing we provide is investment advice or a recommendation to buy or sell anything, and nothing is traded for you: every order is your own decision.',
        'Trading involves risk, and you can lose all the capital you use. Backtests show how rules would have behaved in the past. They do not predict future results, and we promise none.',
      ],
    },
    {
      id: 'availability',
      title: 'Availability and changes',
      blocks: [
        'We run the service with care but cannot promise that it is never interrupted: it depends on TradingView and other services beyond our control. We may improve or replace parts of it. If we ever end it altogether, we’ll refund what you paid for the time after that day.',
      ],
    },
    {
      id: 'liability',
      title: 'Liability',
      blocks: [
        'Our liability for any claim in connection with the service is limited, as far as the law allows, to the fees you paid us in the 12 months before the event that gave rise to the claim. We are not liable for trading losses, lost profits, or other indirect damages. Liability for intent and gross negligence, and any other liability that cannot be excluded by law, is unaffected.',
      ],
    },
    {
      id: 'changes',
      title: 'Changes to these terms',
      blocks: [
        'We may change these terms for the future. We’ll announce changes by email at least 30 days in advance. If you don’t agree, you can cancel before they take effect.',
      ],
    },
    {
      id: 'law',
      title: 'Law and venue',
      blocks: [
        `${law.law} applies, excluding its conflict-of-law rules and the UN Convention on Contracts for the International Sale of Goods. The place of jurisdiction is ${law.venue}. Mandatory venues and consumer protections in your country remain unaffected.`,
      ],
    },
  ]
  return sections
}

function consumerRights(party: Party): LegalText[] {
  return [
    {
      id: 'consumer-rights',
      title: 'Your rights as a consumer',
      blocks: [
        'If you are a consumer, you can withdraw from the contract within 14 days and get all your money back, without a reason. After a plan switch, you have another 14 days, in which you get back what you paid for the time since. The next two sections have the instruction, and the one after them a form.',
        'What you buy is a digital service. Your right to withdraw doesn’t end when your access begins: it lasts the full 14 days. Your access starts once we have your TradingView username. If you withdraw after that, we refund the same amount and keep nothing for the days you used it.',
        'A contract for more than a month that has renewed can be ended at any time with one month’s notice. We then refund the rest of what you paid for that period, to the day.',
        sentence`You can cancel without logging in, with ${link('Cancel contracts here', '/cancel')} at the bottom of every page. For good cause, you can cancel without notice.`,
        'We keep the service in conformity with the contract for as long as it runs, with the updates that takes. If something is wrong, you have your statutory rights, and we are glad to hear from you first.',
      ],
    },
    ...withdrawalInstruction(party),
    modelForm(party),
  ]
}
