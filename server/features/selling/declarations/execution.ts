import { and, desc, eq, inArray, or, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import { dayInWords } from '#contract/dates.ts'
import { email as emailField } from '#contract/fields.ts'
import { exactDollars } from '#contract/money.ts'
import { declarationDue, readContractNumber, withdrawalEnds } from '#contract/selling/legal/consumer-law.ts'
import { hasEnded } from '#contract/statuses.ts'
import { runEach } from '#server/concurrency/run-each.ts'
import type { Context } from '#server/context.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { declarations, isLivePurchase, purchases as purchaseRows, users } from '#server/database/schema.ts'
import { hasIdStart } from '#server/database/text-search.ts'
import { coversOnlySwitch, isUnpaid, latestOrderAt, type PurchaseRow, type Purchases } from '../purchases/purchases.ts'
import { type Cancellation, type Unrefunded, unrefundedInWords } from '../subscriptions/subscriptions.ts'

/** `unrefunded` is missing if the subscription needed no change. */
type ExecutionResult = { outcome: string; unrefunded?: Unrefunded }

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
    .orderBy(sql`(${isLivePurchase}) desc`, desc(sql`coalesce(${purchaseRows.orderedAt}, ${purchaseRows.createdAt})`))
    .limit(1)
    .for('share', { of: users })
  return found

  function matchesContract() {
    const contractNumber = readContractNumber(contract)
    if (contractNumber) return hasIdStart(contractNumber)
    const typedEmail = z.safeParse(emailField, contract)
    if (typedEmail.success) return eq(users.email, typedEmail.data)
    return userId ? eq(users.id, userId) : eq(users.email, email)
  }
}

const hasCard = (card: string, expiresAt: Date) =>
  and(eq(purchaseRows.card, card), eq(purchaseRows.cardExpiresAt, expiresAt))

/** True if the seller need not decide. */
export function mayCarryOut({ kind, declaredAt, forCause }: DeclarationRow, purchase: PurchaseRow) {
  if (kind === 'withdrawal') return !isTooLate(declaredAt, purchase) && purchase.paidThrough === 'stripe'
  return !forCause
}

export const isTooLate = (declaredAt: Date, purchase: PurchaseRow) =>
  declaredAt >= withdrawalEnds(latestOrderAt(purchase))

export function createExecution(
  { db, now, mails, supportEmail }: ExecutionContext,
  { find: findPurchase }: Pick<Purchases, 'find'>,
  cancellation: Pick<Cancellation, 'withdraw' | 'cancelDeclared' | 'cancelForCause'>,
): Execution {
  async function find(id: string) {
    const [declaration] = await db.select().from(declarations).where(eq(declarations.id, id))
    return declaration
  }

  async function carryOut(id: string) {
    const declaration = await find(id)
    if (declaration?.state !== 'confirmed' || !declaration.purchaseId) return
    const purchase = await findPurchase(declaration.purchaseId)
    // An earlier run stored an outcome without closing the declaration, because a bank had to decide about a payment.
    const wasAwaitingBank = declaration.outcome !== null
    if (wasAwaitingBank && purchase.isDisputed) return

    const result = await carryOutByKind(declaration, purchase, wasAwaitingBank)
    if (result === 'later') return
    const { outcome, unrefunded } = result
    // While a bank decides about a payment, the declaration stays confirmed, so that the hourly job comes back to it.
    if (unrefunded && unrefunded.disputed > 0)
      await db.update(declarations).set({ outcome }).where(eq(declarations.id, id))
    else await close(id, outcome)
  }

  async function carryOutByKind(
    declaration: DeclarationRow,
    purchase: PurchaseRow,
    wasAwaitingBank: boolean,
  ): Promise<ExecutionResult | 'later'> {
    if (declaration.kind === 'withdrawal') return carryOutWithdrawal(declaration, purchase, wasAwaitingBank)
    // A contract that ended after the declaration is refunded, too, because a crash may have prevented that.
    if (purchase.endedAt !== null && purchase.endedAt <= declaration.declaredAt) return { outcome: hadEndedSentence }
    return declaration.forCause ? carryOutForCause(declaration, purchase) : carryOutCancellation(declaration, purchase)
  }

  async function carryOutWithdrawal(declaration: DeclarationRow, purchase: PurchaseRow, wasAwaitingBank: boolean) {
    const { id, status, refundedAmount, lastPaidAmount, price } = purchase
    const hadBeenRefunded = hasEnded(status) && refundedAmount >= (lastPaidAmount ?? price)
    const times = declaredTimes(declaration)
    const unrefunded = await cancellation.withdraw(id, times)
    await reportRepeatedWithdrawal(declaration.id, purchase)
    if (hadBeenRefunded && !wasAwaitingBank) return { outcome: hadEndedSentence, unrefunded }
    return { outcome: outcomeInWords(unrefunded, times, withdrawnSentence(declaration, purchase)), unrefunded }
  }

  async function carryOutForCause(declaration: DeclarationRow, purchase: PurchaseRow) {
    const times = declaredTimes(declaration)
    const isBeforeRequestedEnd = declaration.endsOn !== null && times.from > now()
    if (isBeforeRequestedEnd) return 'later' as const
    const unrefunded = await cancellation.cancelForCause(purchase.id, times)
    const ifAllRefunded = isBookedByHand(purchase)
      ? endedByHandSentence
      : 'Ended right away, and the unused time was refunded'
    return { outcome: outcomeInWords(unrefunded, times, ifAllRefunded), unrefunded }
  }

  async function carryOutCancellation(declaration: DeclarationRow, purchaseBefore: PurchaseRow) {
    const { id, currentPeriodEnd } = purchaseBefore
    const hadEnded = hasEnded(purchaseBefore.status)
    const requestedEnd = declaration.endsOn && new Date(declaration.endsOn)
    const times = declaredTimes(declaration)
    // Waits until the requested day falls into the present period, and an unpaid purchase, until that day.
    const renewsBefore = requestedEnd && currentPeriodEnd && currentPeriodEnd < requestedEnd
    const endsTooEarly = isUnpaid(purchaseBefore) && requestedEnd && requestedEnd > now()
    if ((renewsBefore || endsTooEarly) && !hadEnded) return 'later' as const
    const unrefunded = await cancellation.cancelDeclared(id, times)
    const { endsAt, endedBecause, refundedAmount } = await findPurchase(id)
    if (endsAt) return { outcome: `Ends on ${dayInWords(endsAt)}`, unrefunded }
    const hasRefunded = refundedAmount > purchaseBefore.refundedAmount
    const refundedPart = endedBecause === 'refunded' ? 'renewal' : 'unused time'
    const ifNotRefunded = hadEnded ? hadEndedSentence : 'Ended right away'
    const ifAllRefunded = hasRefunded ? `Ended right away, and the ${refundedPart} was refunded` : ifNotRefunded
    return { outcome: outcomeInWords(unrefunded, times, ifAllRefunded), unrefunded }
  }

  /** Only tells the seller. The withdrawal is carried out regardless. */
  async function reportRepeatedWithdrawal(id: string, { userId, card, cardExpiresAt }: PurchaseRow) {
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
      await runEach('declarations', confirmed, ({ id }) => carryOut(id))
    },
  }
}

/** A declaration takes effect at the end of the requested day, but not before it was made. */
function declaredTimes({ declaredAt, endsOn }: DeclarationRow) {
  const requestedEnd = endsOn ? new Date(`${endsOn}T23:59:59Z`) : declaredAt
  const from = requestedEnd > declaredAt ? requestedEnd : declaredAt
  return { declaredAt, from, until: declarationDue(from) }
}

function withdrawnSentence({ declaredAt }: DeclarationRow, purchase: PurchaseRow) {
  if (isBookedByHand(purchase)) return endedByHandSentence
  return coversOnlySwitch(purchase, declaredAt)
    ? 'Ended right away, and the time since the switch was refunded'
    : 'Ended right away and refunded in full'
}

const isBookedByHand = ({ paidThrough }: PurchaseRow) => paidThrough === 'hand'

const endedByHandSentence = 'Ended right away. It was booked by hand, so nothing was refunded here'
const hadEndedSentence = 'The contract had already ended'

function outcomeInWords(unrefunded: Unrefunded, { until }: { until: Date }, ifAllRefunded: string) {
  const { late } = unrefunded
  const sentences = unrefundedInWords(unrefunded)
  if (late > 0) sentences.push(`Paid after ${dayInWords(until)} and not refunded: ${exactDollars(late)}`)
  return sentences.length > 0 ? ['Ended right away', ...sentences].join('. ') : ifAllRefunded
}
