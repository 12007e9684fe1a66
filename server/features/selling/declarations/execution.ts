import { and, desc, eq, gte, inArray, lte, or, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import { email as emailField } from '#contract/fields.ts'
import { exactDollars } from '#contract/money.ts'
import { declarationDue, readContractNumber, withdrawalEnds } from '#contract/selling/legal/consumer-law.ts'
import { hasEnded, type PaymentPlace } from '#contract/statuses.ts'
import type { Context } from '#server/context.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { declarations, isLivePurchase, purchases as purchaseRows, users } from '#server/database/schema.ts'
import type { Purchases } from '../purchases/purchases.ts'
import type { Cancellation, Unrefunded } from '../subscriptions/subscriptions.ts'

type ExecutionContext = Pick<Context, 'db' | 'now' | 'mails' | 'supportEmail'>

/** Idempotent: an hourly job repeats steps that a crash interrupted. */
export type Execution = {
  find(id: string): Promise<DeclarationRow | undefined>
  close(id: string, outcome: string, tx?: Database | Transaction): Promise<void>
  confirmAndCarryOut(id: string, owner?: { userId?: string }): Promise<void>
  carryOutConfirmed(): Promise<void>
}

export type DeclarationRow = typeof declarations.$inferSelect

/** Prefers a running contract. Locks the owner's row, so the address can't change before a link is sent to it. */
export async function findContract(tx: Transaction, { contract, email, userId }: DeclarationRow) {
  const [found] = await tx
    .select({ purchase: purchaseRows, owner: { id: users.id, email: users.email, name: users.name } })
    .from(purchaseRows)
    .innerJoin(users, eq(users.id, purchaseRows.userId))
    .where(matchesContract())
    .orderBy(sql`(${isLivePurchase}) desc`, desc(purchaseRows.createdAt))
    .limit(1)
    .for('share', { of: users })
  return found

  function matchesContract() {
    const contractNumber = readContractNumber(contract)
    if (contractNumber) return idStartsWith(contractNumber)
    const typedEmail = z.safeParse(emailField, contract)
    if (typedEmail.success) return eq(users.email, typedEmail.data)
    return userId ? eq(users.id, userId) : eq(users.email, email)
  }
}

/** A contract number is the start of the purchase's id. A range can use the primary key's index. */
const idStartsWith = (number: string) =>
  and(
    gte(purchaseRows.id, `${number}-0000-0000-0000-000000000000`),
    lte(purchaseRows.id, `${number}-ffff-ffff-ffff-ffffffffffff`),
  )

const hasCard = (card: string, expiresAt: Date) =>
  and(eq(purchaseRows.card, card), eq(purchaseRows.cardExpiresAt, expiresAt))

/** True if the seller need not decide. */
export function mayCarryOut(
  { kind, declaredAt, forCause }: DeclarationRow,
  purchase: OrderTimes & { paidThrough: PaymentPlace },
) {
  if (kind === 'withdrawal') return !isTooLate(declaredAt, purchase) && purchase.paidThrough === 'stripe'
  return !forCause
}

type OrderTimes = { orderedAt: Date | null; createdAt: Date }
export const isTooLate = (declaredAt: Date, { orderedAt, createdAt }: OrderTimes) =>
  declaredAt >= withdrawalEnds(orderedAt ?? createdAt)

export function createExecution(
  { db, now, mails, supportEmail }: ExecutionContext,
  { find: findPurchase }: Pick<Purchases, 'find'>,
  cancellation: Pick<Cancellation, 'withdraw' | 'cancelDeclared' | 'cancelForCause'>,
): Execution {
  async function find(id: string) {
    const [row] = await db.select().from(declarations).where(eq(declarations.id, id))
    return row
  }

  async function carryOut(id: string) {
    const row = await find(id)
    if (row?.state !== 'confirmed' || !row.purchaseId) return
    const before = await findPurchase(row.purchaseId)
    const from = effectiveFrom(row)
    const until = declarationDue(row.declaredAt)
    const hadEnded = hasEnded(before.status)
    const endedBeforeDeclaration = before.endedAt !== null && before.endedAt <= row.declaredAt
    // An earlier run stored an outcome without closing the declaration, because a bank decides about a payment.
    const isAwaitingBank = row.outcome !== null
    if (isAwaitingBank && before.isDisputed) return

    let outcome = 'The contract had already ended'
    let unrefunded: Unrefunded | undefined
    if (row.kind === 'withdrawal') {
      const hadBeenRefunded = hadEnded && before.refundedAmount >= (before.lastPaidAmount ?? before.price)
      unrefunded = await cancellation.withdraw(row.purchaseId, { from, until })
      if (!hadBeenRefunded || isAwaitingBank)
        outcome = outcomeInWords(unrefunded, until, 'Ended right away and refunded in full')
      await reportRepeatedWithdrawal(id, before)
    } else if (row.forCause && !endedBeforeDeclaration) {
      // Also runs if the contract ended after the declaration, because a crash may have prevented the refund.
      const isBeforeRequestedEnd = row.endsOn !== null && from > now()
      if (isBeforeRequestedEnd) return
      unrefunded = await cancellation.cancelForCause(row.purchaseId, { from, until })
      outcome = outcomeInWords(unrefunded, until, 'Ended right away, and the unused time was refunded')
    } else if (!hadEnded || isAwaitingBank) {
      const requestedEnd = row.endsOn && new Date(row.endsOn)
      const { currentPeriodEnd } = before
      // Waits until the requested day falls into the present period.
      const renewsBefore = requestedEnd && currentPeriodEnd && currentPeriodEnd < requestedEnd
      if (!isAwaitingBank && renewsBefore) return
      unrefunded = await cancellation.cancelDeclared(row.purchaseId, { from, until }, { refundAgain: isAwaitingBank })
      const { endsAt, refundedAmount } = await findPurchase(row.purchaseId)
      const alsoRefunded = refundedAmount > before.refundedAmount ? ', and the renewal was refunded' : ''
      outcome = endsAt
        ? `Ends on ${dayOf(endsAt)}`
        : outcomeInWords(unrefunded, until, `Ended right away${alsoRefunded}`)
    }

    // While a bank decides about a payment, the declaration stays confirmed, so that the hourly job comes back to it.
    if (unrefunded && unrefunded.disputed > 0)
      await db.update(declarations).set({ outcome }).where(eq(declarations.id, id))
    else await close(id, outcome)
  }

  /** Only tells the seller. The withdrawal is carried out regardless. */
  async function reportRepeatedWithdrawal(
    id: string,
    { userId, card, cardExpiresAt }: typeof purchaseRows.$inferSelect,
  ) {
    const isSameCard = card && cardExpiresAt ? hasCard(card, cardExpiresAt) : undefined
    const withdrawals = await db
      .select({ id: declarations.id })
      .from(declarations)
      .innerJoin(purchaseRows, eq(purchaseRows.id, declarations.purchaseId))
      .where(
        and(
          eq(declarations.kind, 'withdrawal'),
          inArray(declarations.state, ['confirmed', 'done']),
          or(eq(purchaseRows.userId, userId), isSameCard),
        ),
      )
    if (withdrawals.length < 2) return
    const [buyer] = await db.select({ email: users.email }).from(users).where(eq(users.id, userId))
    const data = { email: buyer?.email ?? '', customerId: userId, count: withdrawals.length }
    await mails.sendOnce(`withdrawn again ${id}`, supportEmail, 'withdrawnAgain', data)
  }

  async function close(id: string, outcome: string, tx: Database | Transaction = db) {
    await tx.update(declarations).set({ state: 'done', handledAt: now(), outcome }).where(eq(declarations.id, id))
  }

  return {
    find,
    close,

    async confirmAndCarryOut(id, owner = {}) {
      await db
        .update(declarations)
        .set({ state: 'confirmed', ...owner })
        .where(and(eq(declarations.id, id), eq(declarations.state, 'open')))
      await carryOut(id)
    },

    async carryOutConfirmed() {
      const confirmed = await db
        .select({ id: declarations.id })
        .from(declarations)
        .where(eq(declarations.state, 'confirmed'))
      const failures: unknown[] = []
      for (const { id } of confirmed) await carryOut(id).catch((error: unknown) => failures.push(error))
      if (failures.length > 0)
        throw new AggregateError(failures, `${failures.length} of ${confirmed.length} declarations not carried out`)
    },
  }
}

const dayFormat = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' })
const dayOf = (date: Date) => dayFormat.format(date)

const effectiveFrom = ({ declaredAt, endsOn }: DeclarationRow) => {
  const requestedEnd = endsOn ? new Date(`${endsOn}T23:59:59Z`) : declaredAt
  return requestedEnd > declaredAt ? requestedEnd : declaredAt
}

function outcomeInWords({ late, disputed, lost, returned }: Unrefunded, until: Date, ifAllRefunded: string) {
  const sentences = [
    disputed > 0 && `The buyer’s bank decides about ${exactDollars(disputed)}`,
    lost > 0 && `The buyer’s bank has paid back ${exactDollars(lost)}`,
    returned > 0 && `The buyer’s bank sent back our refund of ${exactDollars(returned)}`,
    late > 0 && `Paid after ${dayOf(until)} and not refunded: ${exactDollars(late)}`,
  ].filter((sentence) => sentence !== false)
  return sentences.length > 0 ? ['Ended right away', ...sentences].join('. ') : ifAllRefunded
}
