import { and, eq, isNotNull, isNull, lt, or } from 'drizzle-orm'
import { keptSinceNewYear, retention } from '#contract/retention.ts'
import { linkEnded } from '#contract/selling/declarations.ts'
import { declarationDue, withdrawalEnds } from '#contract/selling/legal/consumer-law.ts'
import type { DeclarationKind } from '#contract/statuses.ts'
import type { Actor, User } from '#server/actor.ts'
import type { Transaction } from '#server/database/connect.ts'
import { declarations } from '#server/database/schema.ts'
import { notFound, Refusal } from '#server/errors.ts'
import { hashToken } from '#server/security/tokens.ts'
import { createAdministration } from './administration.ts'
import { findContract } from './contracts.ts'
import { createCorrespondence } from './correspondence.ts'
import type { DeclarationRow, Dependencies } from './dependencies.ts'
import { createExecution } from './execution.ts'
import { endOpenLinks, hasLiveLink, isSellers } from './open-links.ts'
import { createPersonalData } from './personal-data.ts'

type Declared = {
  name: string
  contract: string
  email: string
  grounds?: 'ordinary' | 'good_cause'
  reason?: string | undefined
  endsOn?: string | undefined
}

export { isSellers }

export type Declarations = ReturnType<typeof createDeclarations>

/**
 * Withdrawals and cancellations by anyone who says they have a contract. A declaration counts from the moment it arrives
 * and is stored before anything else; a job then sends the receipt and looks for the contract. So everybody gets the
 * same answer after the same time, and nobody learns from it whether a contract exists.
 */
export function createDeclarations(deps: Dependencies) {
  const { db, now, queue, secrets, purchases, consumerLaw } = deps
  const { sendReceipt, askOwner, tellSeller, tellUnconfirmed } = createCorrespondence(deps)
  const execution = createExecution(deps)

  const handle = queue.job<{ id: string }>('handle-declaration', async ({ id }) => {
    const row = await execution.find(id)
    if (row?.state !== 'open') return
    const { isCertain, isOwner, awaits } = await attach(row)
    await sendReceipt(row, { withLink: awaits?.email === row.email })
    if (awaits && awaits.email !== row.email) await askOwner(row, awaits)
    if (isCertain && isOwner) await execution.confirmAndCarryOut(id)
    else if (!isCertain) {
      await tellSeller(row)
      await db.update(declarations).set({ sellerToldAt: now() }).where(eq(declarations.id, id))
    }
  })

  /** Remembers whose contract it is, and whether a link to its owner may carry it out. */
  const attach = (row: DeclarationRow) =>
    db.transaction(async (tx) => {
      const contract = await findContract(tx, row)
      const isCertain = contract !== undefined && mayCarryOut(row, contract.purchase)
      const isOwner = contract !== undefined && row.userId === contract.owner.id
      const awaits = isCertain && !isOwner ? contract.owner : undefined
      await tx
        .update(declarations)
        .set({
          purchaseId: contract?.purchase.id ?? null,
          // Only the first time: a job that runs again must not revive a link that has ended.
          ...(awaits && !row.purchaseId ? { linkEndsAt: declarationDue(row.declaredAt) } : {}),
        })
        .where(eq(declarations.id, row.id))
      return { isCertain, isOwner, awaits }
    })

  async function declare({ user, ip }: Actor<User | null>, kind: DeclarationKind, declared: Declared) {
    if (consumerLaw === 'none') throw notFound('Page')
    const { name, contract, email, grounds, reason, endsOn } = declared
    const forCause = grounds === 'good_cause'
    const declaredAt = now()
    return db.transaction(async (tx) => {
      const [row] = await tx
        .insert(declarations)
        .values({
          kind,
          name,
          contract,
          email,
          forCause,
          reason: forCause ? reason || null : null,
          endsOn: endsOn || null,
          declaredAt,
          networkHash: hashToken(ip),
          userId: user?.id ?? null,
        })
        .returning({ id: declarations.id })
      if (!row) throw new Error('The declaration was not stored')
      await handle(tx, { id: row.id })
      return { id: row.id, declaredAt }
    })
  }

  return {
    endOpenLinks: (tx: Transaction, userId: string) => endOpenLinks(tx, userId, now()),
    withdraw: (actor: Actor<User | null>, declared: Declared) => declare(actor, 'withdrawal', declared),
    cancel: (actor: Actor<User | null>, declared: Declared) => declare(actor, 'cancellation', declared),

    /** Whoever has the link reads the mailbox of the purchase. */
    async confirm(id: string, token: string) {
      if (!secrets.isLinkToken('declaration', id, token))
        throw new Refusal(400, 'link-invalid', 'This link is not valid')
      const row = await execution.find(id)
      if (!row?.purchaseId) throw new Refusal(410, 'link-expired', 'This link has expired.')
      if (row.state === 'open' && !hasLiveLink(row, now()))
        throw new Refusal(410, 'link-expired', linkEnded(row))
      const purchase = await purchases.find(row.purchaseId)
      if (mayCarryOut(row, purchase)) await execution.confirmAndCarryOut(id, { userId: purchase.userId })
    },

    administration: createAdministration({ ...deps, execution }),
    carryOutConfirmed: execution.carryOutConfirmed,

    /** What nobody has confirmed for three days waits for the seller, who hears of it once. */
    async handToSeller() {
      const unconfirmed = await db
        .select()
        .from(declarations)
        .where(and(isSellers(now()), isNotNull(declarations.linkEndsAt), isNull(declarations.sellerToldAt)))
      for (const row of unconfirmed) {
        await tellUnconfirmed(row)
        await db.update(declarations).set({ sellerToldAt: now() }).where(eq(declarations.id, row.id))
      }
    },

    ...createPersonalData(deps),

    /** Kept for as long as someone may sue over them; an open one a year longer. */
    async forgetOld() {
      const { years } = retention.declarations
      const before = keptSinceNewYear(now(), { years })
      await db
        .delete(declarations)
        .where(
          or(
            and(eq(declarations.state, 'done'), lt(declarations.handledAt, before)),
            lt(declarations.declaredAt, keptSinceNewYear(now(), { years: years + 1 })),
          ),
        )
    },
  }
}

/** Without the seller: in time, or an ordinary cancellation. A good cause is for a person to judge. */
function mayCarryOut(
  { kind, declaredAt, forCause }: DeclarationRow,
  purchase: { createdAt: Date; stripeSubscriptionId: string | null },
) {
  return kind === 'withdrawal'
    ? declaredAt < withdrawalEnds(purchase.createdAt) && purchase.stripeSubscriptionId !== null
    : !forCause
}
