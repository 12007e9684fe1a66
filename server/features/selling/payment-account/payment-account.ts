import { createHash } from 'node:crypto'
import { desc, isNotNull, sql } from 'drizzle-orm'
import type { Logger } from 'pino'
import type { PaymentAccountKind } from '#contract/statuses.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { paymentAccount, prices } from '#server/database/schema.ts'
import { StartError } from '#server/errors.ts'
import type { ConfiguredAccount } from '#server/gateways/payments.ts'
import { StripeRefusal } from '#server/gateways/stripe.ts'

export type PaymentAccount = {
  kind: PaymentAccountKind
  /** False until Stripe has named the account of the keys. */
  isKnown(): boolean
  /** Asks Stripe without waiting for the timer; for tests. */
  askAgain(): Promise<void>
  close(): void
}

type BoundAccount = typeof paymentAccount.$inferSelect

const fingerprintOf = (secretKey: string) => createHash('sha256').update(secretKey).digest('hex').slice(0, 32)

export async function boundAccount(db: Database | Transaction): Promise<BoundAccount | undefined> {
  const [bound] = await db.select().from(paymentAccount)
  return bound
}

/** Number of prices to look for at Stripe. Every shop has prices there, so one that Stripe finds proves the account. */
const mostPricesTried = 5

/** Asks Stripe unless the key is known. Throws `StripeRefusal` if Stripe can't be asked. */
export async function compareAccount(db: Database, bound: BoundAccount, configured: ConfiguredAccount) {
  if (bound.kind !== configured.kind) return { isSame: false, accountId: null }
  if (configured.kind === 'sandbox') return { isSame: true, accountId: null }
  if (bound.keyFingerprints.includes(fingerprintOf(configured.secretKey)))
    return { isSame: true, accountId: bound.accountId }
  const accountId = await configured.account.id()
  if (accountId && bound.accountId) return { isSame: accountId === bound.accountId, accountId }
  const newestPrices = await db
    .select({ id: prices.stripePriceId })
    .from(prices)
    .where(isNotNull(prices.stripePriceId))
    .orderBy(desc(prices.publishedAt))
    .limit(mostPricesTried)
  for (const { id } of newestPrices)
    if (id && (await configured.account.hasPrice(id))) return { isSame: true, accountId }
  // A shop without prices at Stripe has sold nothing there, so any account will do.
  const hasNoPrices = newestPrices.length === 0
  return { isSame: hasNoPrices, accountId }
}

/** Adds the key to the bound account; with `replaces`, binds the configured account in its place. */
export async function bindAccount(
  tx: Database | Transaction,
  configured: ConfiguredAccount,
  { accountId, now, replaces = false }: { accountId: string | null; now: Date; replaces?: boolean },
) {
  const keyFingerprints = configured.kind === 'sandbox' ? [] : [fingerprintOf(configured.secretKey)]
  const account = { kind: configured.kind, accountId, keyFingerprints, boundAt: now }
  const addedKey = {
    accountId: sql`coalesce(${paymentAccount.accountId}, excluded.account_id)`,
    keyFingerprints: sql`array(select distinct unnest(${paymentAccount.keyFingerprints} || excluded.key_fingerprints))`,
  }
  await tx
    .insert(paymentAccount)
    .values({ id: 1, ...account })
    .onConflictDoUpdate({ target: paymentAccount.id, set: replaces ? account : addedKey })
}

type AccountIdentity = { kind: PaymentAccountKind; accountId: string | null }

export function accountInWords({ kind, accountId }: AccountIdentity) {
  if (kind === 'sandbox') return 'test payments (PAYMENTS=sandbox)'
  return `Stripe’s ${kind} mode${accountId ? ` (${accountId})` : ''}`
}

export function mismatchInWords(bound: BoundAccount, configured: AccountIdentity) {
  const mismatch = `The money in this database belongs to ${accountInWords(bound)}, but the settings are for ${accountInWords(configured)}`
  const wouldLeaveLive = bound.kind === 'live' && configured.kind !== 'live'
  if (wouldLeaveLive) return `${mismatch}: put the live keys back, or use another database.`
  return `${mismatch}: run \`npm run go-live\` to switch, or put the former settings back.`
}

type PaymentAccountDeps = {
  db: Database
  now: () => Date
  log: Pick<Logger, 'warn' | 'error'>
  configured: ConfiguredAccount
  /** Called once, when the keys turn out to be the bound account's. */
  onMatch(): void
  /** Called if the keys turn out to be another account's while the shop runs. */
  onMismatch(sentence: string): void
}

const askAgainAfterMs = 15_000

/** Throws a `StartError` for another account's keys. If Stripe can't be asked, starts without payments and asks again. */
export async function openPaymentAccount({
  db,
  now,
  log,
  configured,
  onMatch,
  onMismatch,
}: PaymentAccountDeps): Promise<PaymentAccount> {
  let isKnown = false
  let timer: NodeJS.Timeout | undefined

  /** Returns the mismatch as a sentence, or null after binding the key. Binds any account if none is bound. */
  async function bindUnlessMismatch(): Promise<string | null> {
    const bound = await boundAccount(db)
    let accountId: string | null = null
    if (bound) {
      const comparison = await compareAccount(db, bound, configured)
      accountId = comparison.accountId
      if (!comparison.isSame) return mismatchInWords(bound, { kind: configured.kind, accountId })
    } else if (configured.kind !== 'sandbox') accountId = await configured.account.id()
    await bindAccount(db, configured, { accountId, now: now() })
    isKnown = true
    onMatch()
    return null
  }

  async function askAgain() {
    try {
      const mismatch = await bindUnlessMismatch()
      if (!mismatch) return
      log.error(mismatch)
      onMismatch(mismatch)
    } catch {
      timer = setTimeout(() => void askAgain(), askAgainAfterMs).unref()
    }
  }

  try {
    const mismatch = await bindUnlessMismatch()
    if (mismatch) throw new StartError(mismatch)
  } catch (error) {
    if (!(error instanceof StripeRefusal)) throw error
    const { isOutage, message } = error.fault
    if (!isOutage) throw new StartError(`Stripe does not accept STRIPE_SECRET_KEY: ${message}`)
    log.warn(`Stripe can’t be asked about these new keys: ${message}. No payments until it answers.`)
    timer = setTimeout(() => void askAgain(), askAgainAfterMs).unref()
  }

  return {
    kind: configured.kind,
    isKnown: () => isKnown,
    askAgain,
    close() {
      clearTimeout(timer)
    },
  }
}
