import type { Problem } from '#contract/admin/settings.ts'
import type { Seller } from '#contract/seller.ts'
import type { LawAndVenue } from '#contract/selling/legal/terms.ts'
import type { Config } from '#server/config.ts'

type LiveSettings = {
  supportEmail: string
  seller: Seller
  linksOnSale: { name: string; indicatorUrl: string; strategyUrl: string }[]
  hasChosenKeys: boolean
  hasChosenLaw: boolean
  law: LawAndVenue
}

const isListOfScripts = (url: string) => /^https:\/\/www\.tradingview\.com\/scripts\/?$/.test(url)

type ProductLinks = LiveSettings['linksOnSale'][number]

export const hasOwnLinks = (links: ProductLinks) => linkProblem(links) === false

function linkProblem({ name, indicatorUrl, strategyUrl }: ProductLinks): Problem | false {
  const missingLinks: string[] = []
  if (!indicatorUrl || isListOfScripts(indicatorUrl)) missingLinks.push('indicator')
  // A product need not have a strategy, so an empty link is fine.
  if (isListOfScripts(strategyUrl)) missingLinks.push('strategy')
  if (missingLinks.length === 0) return false
  return {
    text: `${name} has no link to its ${missingLinks.join(' and ')}. Buyers land on TradingView’s list of scripts, or find no link.`,
    remedy: 'Set it under Package links.',
    isUrgent: false,
  }
}

export function problemsOf(config: Config, live: LiveSettings): Problem[] {
  const { supportEmail, seller, linksOnSale, hasChosenKeys, hasChosenLaw, law } = live
  const { production, mail, warnings } = config
  const missingFields = (['name', 'street', 'city', 'country'] as const).filter((name) => !seller[name])
  const problems = [
    missingFields.length > 0 && {
      text: 'Your imprint is incomplete.',
      remedy: `Add your ${new Intl.ListFormat('en').format(missingFields)} under Seller.`,
      isUrgent: true,
    },
    supportEmail.endsWith('@example.com') && {
      text: `\`${supportEmail}\` is a placeholder.`,
      remedy: 'Set yours under Support.',
      isUrgent: production,
    },
    !mail.smtpUrl && {
      text: 'Email isn’t set up. Messages are saved to a folder instead.',
      remedy: 'Set `SMTP_URL` in the environment and restart the shop.',
      isUrgent: production,
    },
    ...linksOnSale.map(linkProblem),
    !hasChosenKeys && {
      text: 'Buyers are asked for API keys of their exchange. Secret keys are what thieves ask for.',
      remedy: 'Say under Exchange keys whether this shop needs them at all.',
      isUrgent: false,
    },
    !hasChosenLaw && {
      text: `Your terms say that ${law.law} applies and that ${law.venue} is the place of jurisdiction.`,
      remedy: 'Confirm or change both under Law and venue.',
      isUrgent: false,
    },
    ...warnings.map((text) => ({ text, remedy: 'Change it in the environment and restart the shop.', isUrgent: true })),
  ]
  return problems.filter((problem) => problem !== false)
}
