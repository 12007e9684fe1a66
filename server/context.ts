import type { Logger } from 'pino'
import { partyOf } from '#contract/selling/legal/text.ts'
import { createAudit } from './audit/audit.ts'
import type { Config } from './config.ts'
import type { Connection, Transaction } from './database/connect.ts'
import { Refusal } from './errors.ts'
import type { Catalog } from './features/selling/catalog/catalog.ts'
import type { PaymentAccount } from './features/selling/payment-account/payment-account.ts'
import type { BulkMail, MailTransport } from './gateways/mail.ts'
import type { StripeGateway } from './gateways/stripe.ts'
import type { TradingViewGateway } from './gateways/tradingview.ts'
import type { Queue } from './jobs/queue.ts'
import { createMails, type MailSite, sellersAddress } from './mails/mails.ts'
import { createAttempts } from './security/attempts.ts'
import type { PasswordHasher } from './security/password-hasher.ts'
import type { Secrets } from './security/secrets.ts'
import { createSecurityLog } from './security/security-log.ts'
import type { ShopSettings } from './settings/settings.ts'

type ContextInput = {
  config: Config
  settings: ShopSettings
  connection: Connection
  catalog: Catalog
  queue: Queue
  transport: MailTransport
  bulkMail: BulkMail
  stripe: StripeGateway
  paymentAccount: Pick<PaymentAccount, 'kind' | 'isKnown'>
  tradingView: TradingViewGateway
  secrets: Secrets
  passwordHasher: PasswordHasher
  log: Logger
  now: () => Date
  /** Named moments at which a test may end the process; no effect in production. */
  crashPoint: (name: string) => void
}

/** Module with more personal data than its tables declare (`database/personal-data.ts`). */
export type PersonalDataModule = {
  /** Called when an account is deleted, before its rows are. */
  forget?(tx: Transaction, userId: string): Promise<void>
  dataOf?(userId: string): Promise<object>
}

export type Context = ReturnType<typeof createContext>

export function createContext({ transport, ...input }: ContextInput) {
  const { config, settings, connection, queue, secrets, log, now } = input
  const { db } = connection
  const site = createMailSite(config, settings, secrets, input.catalog)
  return {
    ...input,
    db,
    site,
    // Replaced by the address when an email is sent, because the seller may change it.
    supportEmail: sellersAddress,
    mails: createMails({ db, now, queue, transport, site }),
    audit: createAudit({ db, now }),
    attempts: createAttempts({ db, now, limitsAddressLookups: config.rateLimits }),
    /** One task at a time for each subscription, and for each buyer's checkout. */
    runExclusive: connection.locks.runExclusive,
    securityLog: createSecurityLog(log),
    /** Throws for the shop's own addresses: a stranger who registered with one could pose as the shop. */
    refuseShopAddress(email: string) {
      const shopAddresses = [settings.current.supportEmail, config.admin.email]
      if (shopAddresses.some((address) => address?.toLowerCase() === email.toLowerCase()))
        throw new Refusal(409, 'shop-address', shopAddressMessage, { fields: { email: shopAddressMessage } })
    },
    linkToken: secrets.linkToken,
    isLinkToken: secrets.isLinkToken,
  }
}

/** Getters, because the seller may change the values while the shop runs. */
export function createMailSite(
  config: Config,
  { current: settings }: ShopSettings,
  { linkToken }: Secrets,
  catalog: Catalog,
): MailSite {
  const { publicUrl, consumerLaw, tax } = config
  return {
    publicUrl,
    linkToken,
    consumerLaw,
    taxNote: tax.note,
    productsOnSale: catalog
      .productsOnSale()
      .map(({ name, listed }) => ({ name, terms: listed.terms, list: listed.list })),
    get law() {
      return settings.law
    },
    get supportEmail() {
      return settings.supportEmail
    },
    get sender() {
      const { name, street, city, country } = settings.seller
      return [name, street, city, country].filter(Boolean).join(', ')
    },
    get party() {
      return partyOf(settings.seller, { supportEmail: settings.supportEmail, publicUrl })
    },
  }
}

const shopAddressMessage = 'This address belongs to the shop. Please use another one, or log in if it’s yours.'
