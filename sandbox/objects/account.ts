import { empty, newId, randomText } from '../basics.ts'

const noBusinessProfileExtras = {
  ...empty('mcc minority_owned_business_designation specified_commercial_transactions_act_url'),
  ...empty('support_address support_email support_phone support_url url'),
}
const noPaymentsExtras = {
  ...empty('statement_descriptor_kana statement_descriptor_kanji statement_descriptor_prefix_kana'),
  ...empty('statement_descriptor_prefix_kanji'),
}

/** The seller's own account; the sandbox has one. */
export const account = {
  id: 'acct_1SandboxAccount0',
  object: 'account' as const,
  business_profile: {
    ...noBusinessProfileExtras,
    name: 'Stripe sandbox',
  },
  business_type: null,
  capabilities: { card_payments: 'active' as const, transfers: 'active' as const },
  charges_enabled: true,
  country: 'US',
  default_currency: 'usd',
  details_submitted: true,
  email: null,
  payouts_enabled: true,
  settings: {
    branding: { icon: null, logo: null, primary_color: null, secondary_color: null },
    card_payments: {
      statement_descriptor_prefix: null,
      statement_descriptor_prefix_kana: null,
      statement_descriptor_prefix_kanji: null,
    },
    dashboard: { display_name: 'Stripe sandbox', timezone: 'Etc/UTC' },
    payments: {
      ...noPaymentsExtras,
      statement_descriptor: 'SANDBOX',
    },
  },
  type: 'standard' as const,
}

type GivenEndpoint = {
  now: number
  url: string
  events: string[]
  version: string | null
  description: string | null
}

/** The secret is returned once, when the endpoint is created. */
export const newWebhookEndpoint = ({ now, url, events, version, description }: GivenEndpoint) => ({
  id: newId('we'),
  object: 'webhook_endpoint' as const,
  api_version: version,
  application: null,
  created: now,
  description,
  enabled_events: events,
  livemode: false,
  metadata: {} as Record<string, string>,
  status: 'enabled' as 'enabled' | 'disabled',
  url,
  $sandbox: { secret: `whsec_${randomText(32)}` },
})

export type WebhookEndpoint = ReturnType<typeof newWebhookEndpoint>

/** A page that is not public has no wallets: Apple and Google check the domain themselves. */
const walletOn = (domain: string) =>
  /^(localhost|127\.|.*\.(local|test|example|invalid)$)/.test(domain)
    ? {
        status: 'inactive' as const,
        status_details: { error_message: `${domain} could not be verified: it is not reachable.` },
      }
    : { status: 'active' as const }

const walletsOn = (domain: string) => ({
  amazon_pay: walletOn(domain),
  apple_pay: walletOn(domain),
  google_pay: walletOn(domain),
  klarna: walletOn(domain),
  link: walletOn(domain),
  paypal: walletOn(domain),
})

export const newPaymentMethodDomain = (now: number, domain: string, enabled: boolean) => ({
  id: newId('pmd'),
  object: 'payment_method_domain' as const,
  ...walletsOn(domain),
  created: now,
  domain_name: domain,
  enabled,
  livemode: false,
})

export type PaymentMethodDomain = ReturnType<typeof newPaymentMethodDomain>
