import { and, desc, eq, isNull, lte, or, sql } from 'drizzle-orm'
import { dayMs } from '#contract/dates.ts'
import type { ParsedInputOf, RawOutputOf } from '#contract/endpoint.ts'
import type { DeclarationFilter, declarationsAdmin } from '#contract/selling/declarations-admin.ts'
import { declarationDue } from '#contract/selling/legal/consumer-law.ts'
import type { Actor } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import type { Page } from '#server/database/cursor.ts'
import { decodeCursor, pageOf } from '#server/database/cursor.ts'
import { declarations, purchases, users } from '#server/database/schema.ts'
import { conflict, invalid, notFound } from '#server/errors.ts'
import { readPaidHistories } from '../invoices/invoices.ts'
import { coversOnlySwitch, type PurchaseRow } from '../purchases/purchases.ts'
import { duePaidUntil, remainingRefunds, withdrawableSince } from '../refunds/refunds.ts'
import { type DeclarationRow, type Execution, findContract, isTooLate } from './execution.ts'

type AdministrationContext = Pick<Context, 'db' | 'now' | 'audit'>

export type DeclarationAdministration = {
  list(
    filter: ParsedInputOf<typeof declarationsAdmin.list>,
  ): Promise<Page<RawOutputOf<typeof declarationsAdmin.list>[number]>>
  carryOut(actor: Actor, id: string): Promise<void>
  /** Links a declaration whose contract was mistyped to its purchase, without carrying it out. */
  link(actor: Actor, id: string, contract: string): Promise<void>
  close(actor: Actor, id: string, outcome: string): Promise<void>
}

/** Time for the owner to confirm by email before the seller decides. */
const confirmationPeriodMs = 3 * dayMs

/** Open, and either without a working link or unconfirmed for three days. */
export const awaitsSeller = (now: Date) =>
  and(
    eq(declarations.state, 'open'),
    or(
      isNull(declarations.linkEndsAt),
      lte(declarations.linkEndsAt, now),
      lte(declarations.declaredAt, new Date(now.getTime() - confirmationPeriodMs)),
    ),
  )

type DeclaredPurchase = { declaration: DeclarationRow; purchase: PurchaseRow | null }

const isUndecidedWithdrawal = ({ kind, state }: DeclarationRow) => kind === 'withdrawal' && state === 'open'

export function createAdministration(
  { db, now, audit }: AdministrationContext,
  execution: Execution,
): DeclarationAdministration {
  const matchesFilter = (state: DeclarationFilter) => {
    if (state === 'open') return awaitsSeller(now())
    if (state === 'waiting') return and(eq(declarations.state, 'open'), sql`not (${awaitsSeller(now())})`)
    return eq(declarations.state, state)
  }

  /** The returned function gives the amount that an undecided withdrawal would refund, by the books. */
  async function readRefundsDue(rows: DeclaredPurchase[]) {
    const undecided = rows.filter(({ declaration }) => isUndecidedWithdrawal(declaration))
    const ids = undecided.flatMap(({ purchase }) => purchase?.id ?? [])
    if (ids.length === 0) return () => 0
    const historyOf = await readPaidHistories(db, ids)
    return (declaration: DeclarationRow, purchase: PurchaseRow) => {
      if (!isUndecidedWithdrawal(declaration)) return 0
      const { declaredAt } = declaration
      const amountDue = duePaidUntil(declarationDue(declaredAt), withdrawableSince(declaredAt))
      return remainingRefunds(historyOf(purchase), amountDue).reduce((sum, { amount }) => sum + amount, 0)
    }
  }

  async function findOpen(id: string) {
    const declaration = await execution.find(id)
    if (!declaration) throw notFound('Declaration')
    if (declaration.state === 'done') throw conflict('already-handled', 'This declaration has already been handled')
    return declaration
  }

  return {
    async list({ limit, cursor, state, customerId }) {
      const cursorPosition = decodeCursor(cursor)
      const rows = await db
        .select({ declaration: declarations, purchase: purchases, email: users.email })
        .from(declarations)
        .leftJoin(purchases, eq(purchases.id, declarations.purchaseId))
        .leftJoin(users, eq(users.id, purchases.userId))
        .where(
          and(
            state && matchesFilter(state),
            customerId ? eq(purchases.userId, customerId) : undefined,
            cursorPosition &&
              sql`(${declarations.declaredAt}, ${declarations.id}) < (${cursorPosition.at}, ${cursorPosition.id})`,
          ),
        )
        .orderBy(desc(declarations.declaredAt), desc(declarations.id))
        .limit(limit + 1)
      const refundDueOf = await readRefundsDue(rows)
      const { items, next } = pageOf(rows, limit, ({ declaration: { declaredAt: at, id } }) => ({ at, id }))
      return {
        next,
        items: items.map(({ declaration, purchase, email }) => {
          const { kind, state: storedState, declaredAt, linkEndsAt } = declaration
          const hasLiveLink = linkEndsAt !== null && now() < linkEndsAt
          return {
            ...declaration,
            awaitsClick: storedState === 'open' && hasLiveLink,
            dueAt: declarationDue(declaredAt),
            purchase: purchase && {
              ...purchase,
              email: email ?? '',
              refundDue: refundDueOf(declaration, purchase),
              switchedAt: coversOnlySwitch(purchase, declaredAt) ? purchase.orderedAt : null,
            },
            isLate: kind === 'withdrawal' && purchase !== null && isTooLate(declaredAt, purchase),
          }
        }),
      }
    },

    async carryOut(actor, id) {
      const { purchaseId, kind } = await findOpen(id)
      if (!purchaseId) throw conflict('contract-unknown', 'We don’t know which contract this is about')
      await audit.record(db, actor, { action: `declaration.${kind}`, subject: id, detail: { purchaseId } })
      await execution.confirmAndCarryOut(id)
    },

    async link(actor, id, contract) {
      const declaration = await findOpen(id)
      await db.transaction(async (tx) => {
        const found = await findContract(tx, { ...declaration, contract, email: '', userId: null })
        if (!found) throw invalid('contract', 'No subscription has this number or email')
        await tx.update(declarations).set({ purchaseId: found.purchase.id }).where(eq(declarations.id, id))
        await audit.record(tx, actor, { action: 'declaration.link', subject: id, aboutId: found.owner.id })
      })
    },

    async close(actor, id, outcome) {
      await findOpen(id)
      await db.transaction(async (tx) => {
        // The outcome may name the buyer, so the audit log doesn't have it.
        await audit.record(tx, actor, { action: 'declaration.close', subject: id })
        await execution.close(id, outcome, tx)
      })
    },
  }
}
