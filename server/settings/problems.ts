import type { Problem } from '#contract/desk/settings.ts'
import type { Seller } from '#contract/seller.ts'
import type { Config } from '#server/config.ts'

type Live = { supportEmail: string; seller: Seller; package: { indicatorUrl: string; strategyUrl: string } }

/** What is wrong with the settings, and how to fix it. The overview counts these. */
export function problemsOf(config: Config, live: Live): Problem[] {
  const mend = 'Change it in the environment and restart the shop.'
  const warned = config.warnings.map((text) => ({ text, mend, isUrgent: true }))
  return [...imprint(live), ...address(config, live), ...mail(config), ...links(live), ...warned]
}

function* imprint({ seller }: Live): Generator<Problem> {
  const missing = (['name', 'street', 'city', 'country'] as const).filter((name) => !seller[name])
  if (missing.length > 0)
    yield {
      text: 'Your imprint is incomplete.',
      mend: `Add your ${new Intl.ListFormat('en').format(missing)} under Seller.`,
      isUrgent: true,
    }
}

function* address({ production }: Config, { supportEmail }: Live): Generator<Problem> {
  if (supportEmail.endsWith('@example.com'))
    yield {
      text: `\`${supportEmail}\` is a placeholder.`,
      mend: 'Set yours under Support.',
      isUrgent: production,
    }
}

function* mail({ mail: { smtpUrl }, production }: Config): Generator<Problem> {
  if (!smtpUrl)
    yield {
      text: 'Email isn’t set up. Messages are saved to a folder instead.',
      mend: 'Set `SMTP_URL` in the environment and restart the shop.',
      isUrgent: production,
    }
}

function* links({ package: { indicatorUrl, strategyUrl } }: Live): Generator<Problem> {
  const missing = Object.entries({ indicator: indicatorUrl, strategy: strategyUrl }).flatMap(([what, url]) =>
    /^https:\/\/www\.tradingview\.com\/scripts\/?$/.test(url) ? [what] : [],
  )
  if (missing.length > 0)
    yield {
      text: `Add links to your ${missing.join(' and ')}. Buyers now land on TradingView’s list of scripts.`,
      mend: 'Set them under Package links.',
      isUrgent: false,
    }
}
