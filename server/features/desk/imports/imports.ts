import { and, eq, isNull } from 'drizzle-orm'
import type { ImportLine, ImportVerdict } from '#contract/desk/imports.ts'
import { keyOfName, nameTaken } from '#contract/tradingview-name.ts'
import type { Actor } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { isLivePurchase } from '#server/database/live-purchase.ts'
import { purchases, users } from '#server/database/schema.ts'
import { Refusal } from '#server/errors.ts'
import type { AccessRoom } from '#server/features/access/access/access.ts'
import type { Accounts } from '#server/features/identity/accounts/accounts.ts'
import type { Prices } from '#server/features/selling/prices/prices.ts'
import type { Purchases } from '#server/features/selling/purchases/purchases.ts'
import { readLine, type Subscriber } from './read-line.ts'

type Others = {
  accounts: Pick<Accounts, 'guests'>
  purchases: Pick<Purchases, 'booked'>
  prices: Pick<Prices, 'of'>
  access: Pick<AccessRoom, 'names'>
}

type Options = { invite: boolean; hasAccess: boolean }
type Found = Omit<ImportVerdict, 'line'>

export type Imports = ReturnType<typeof createImports>

const isThere = 'Has a subscription already'

/**
 * Subscribers who paid elsewhere until now. The browser reads the file and sends it in pieces; each line is committed on
 * its own, and a subscriber who is there already is left alone. So an import that was interrupted is simply run again.
 */
export function createImports(
  { db, now, audit, catalog }: Context,
  { accounts, purchases: { booked }, prices, access: { names } }: Others,
) {
  const product = catalog.first()

  async function ownerOf(tx: Database | Transaction, email: string) {
    const [user] = await tx
      .select({ id: users.id, purchaseId: purchases.id })
      .from(users)
      .leftJoin(
        purchases,
        and(eq(purchases.userId, users.id), eq(purchases.productId, product.id), isLivePurchase),
      )
      .where(and(eq(users.email, email), isNull(users.deletedAt)))
      .limit(1)
    return user
  }

  /** Why this subscriber cannot be booked, if there is a reason. */
  async function obstacle(tx: Database | Transaction, { email, username }: Subscriber) {
    const owner = await ownerOf(tx, email)
    if (owner?.purchaseId) return { verdict: 'there' as const, message: isThere }
    // No account has this id, so the name belongs to another one.
    const userId = owner?.id ?? product.id
    if (username && (await names.takenBy(tx, { userId, productId: product.id }, keyOfName(username))))
      return { verdict: 'fault' as const, message: nameTaken }
    return undefined
  }

  async function bookOne(
    actor: Actor,
    subscriber: Subscriber,
    { invite, hasAccess }: Options,
  ): Promise<Found> {
    const { email, name, username, billingType, paidUntil } = subscriber
    const { amount } = await prices.of(product.id, billingType)
    return db.transaction(async (tx) => {
      const known = await obstacle(tx, subscriber)
      if (known) return known
      const userId = await accounts.guests.forImport(tx, { email, name })
      const { id: purchaseId } = await booked.book(tx, {
        userId,
        productId: product.id,
        billingType,
        amount,
        status: 'active',
        kind: 'paid_elsewhere',
        endsAt: paidUntil,
        invite,
      })
      if (username) {
        const unlockedProductId = hasAccess ? product.id : undefined
        await names.give(tx, { userId, username, by: actor.user.id, unlockedProductId })
      }
      await audit.record(tx, actor, { action: 'purchase.import', subject: purchaseId, aboutId: userId })
      return { verdict: 'new' as const, message: 'Booked' }
    })
  }

  async function verdictOn(line: ImportLine, decide: (read: Subscriber) => Promise<Found>) {
    const read = readLine(line, now())
    const found = 'fault' in read ? { verdict: 'fault' as const, message: read.fault } : await decide(read)
    return { line: line.line, ...found }
  }

  return {
    async check(lines: ImportLine[]): Promise<ImportVerdict[]> {
      const verdicts: ImportVerdict[] = []
      for (const line of lines)
        verdicts.push(
          await verdictOn(
            line,
            async (read) => (await obstacle(db, read)) ?? { verdict: 'new', message: '' },
          ),
        )
      return verdicts
    },

    async run(actor: Actor, lines: ImportLine[], options: Options): Promise<ImportVerdict[]> {
      const book = (read: Subscriber): Promise<Found> =>
        bookOne(actor, read, options).catch((error: unknown) => {
          // One line's trouble is not the next one's.
          if (error instanceof Refusal) return { verdict: 'fault', message: error.message }
          throw error
        })
      const verdicts: ImportVerdict[] = []
      for (const line of lines) verdicts.push(await verdictOn(line, book))
      return verdicts
    },
  }
}
