import { and, eq, gt, inArray, isNotNull, isNull, lt, ne, or } from 'drizzle-orm'
import { addMonths } from '#contract/plans.ts'
import { retention, retentionStartOfYear } from '#contract/retention.ts'
import { linkEnded } from '#contract/selling/declaration-texts.ts'
import type { NextStep } from '#contract/selling/declarations.ts'
import { contractNumber, declarationDue } from '#contract/selling/legal/consumer-law.ts'
import { type DeclarationKind, hasEnded } from '#contract/statuses.ts'
import type { Actor, User } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import type { Transaction } from '#server/database/connect.ts'
import { declarations, purchases as purchaseRows } from '#server/database/schema.ts'
import { conflict, invalid, notFound, Refusal } from '#server/errors.ts'
import type { Enqueue } from '#server/jobs/queue.ts'
import { hashToken } from '#server/security/tokens.ts'
import type { Purchases } from '../purchases/purchases.ts'
import type { Cancellation } from '../subscriptions/subscriptions.ts'
import { createCorrespondence } from './correspondence.ts'
import { awaitsSeller, createAdministration, type DeclarationAdministration } from './declaration-administration.ts'
import { createExecution, type DeclarationRow, findContract, mayCarryOut } from './execution.ts'

type DeclarationContext = Pick<
  Context,
  'attempts' | 'audit' | 'config' | 'db' | 'isLinkToken' | 'mails' | 'now' | 'paymentAccount' | 'queue' | 'supportEmail'
>

type DeclarationDeps = { purchases: Pick<Purchases, 'find'>; cancellation: Cancellation }

/**
 * Withdrawals and cancellations by anyone who says they have a contract. A declaration counts from the moment it arrives
 * and is stored before anything else; a job then sends the receipt and looks for the contract. So everyone gets the
 * same answer after the same time. Only the logged-in owner learns whether a contract exists.
 */
export type Declarations = {
  /** A buyer's own cancellation that can't reach Stripe yet. It counts from now, with a receipt, once. */
  cancelLater(actor: Actor, purchaseId: string): Promise<void>
  withdraw(actor: Actor<User | null>, declared: Declared): Promise<StoredDeclaration>
  cancel(actor: Actor<User | null>, declared: Declared): Promise<StoredDeclaration>
  /** By the link that was emailed to the address of the purchase. */
  confirm(id: string, token: string): Promise<void>
  administration: DeclarationAdministration
  carryOutConfirmed(): Promise<void>
  /** Tells the seller, once, about declarations that nobody has confirmed for three days. */
  handToSeller(): Promise<void>
  /** Ends links that went to the old mailbox. The declarations stay, for the seller to decide. */
  endDeclarationLinks(tx: Transaction, userId: string): Promise<void>
  /** Deletes declarations after the limitation period for lawsuits; open ones a year later. */
  forgetOld(): Promise<void>
}

type StoredDeclaration = { id: string; declaredAt: Date; next: NextStep }

type Declared = {
  name: string
  contract: string
  email: string
  grounds?: 'ordinary' | 'good_cause'
  reason?: string | undefined
  endsOn?: string | undefined
}

export { awaitsSeller }

export function createDeclarations(
  context: DeclarationContext,
  { purchases, cancellation }: DeclarationDeps,
): Declarations {
  const { db, now, queue, config, isLinkToken, paymentAccount } = context
  const { sendReceipt, askOwner, tellSeller, tellUnconfirmed } = createCorrespondence(context)
  const execution = createExecution(context, purchases, cancellation)

  const handle = queue.job<{ id: string }>('handle-declaration', async ({ id }) => {
    const row = await execution.find(id)
    if (row?.state !== 'open') return
    const { isCertain, isOwner, awaits, isKnown } = await attach(row)
    await sendReceipt(row, { isOwner: isCertain && isOwner, withLink: awaits?.email === row.email })
    if (awaits && awaits.email !== row.email) await askOwner(row, awaits)
    if (isCertain && isOwner) await execution.confirmAndCarryOut(id)
    else if (!isCertain) {
      await tellSeller(row, isKnown)
      await db.update(declarations).set({ sellerToldAt: now() }).where(eq(declarations.id, id))
    }
  })

  /** Stores the contract and whether its owner's link may carry the declaration out. */
  const attach = (row: DeclarationRow) =>
    db.transaction(async (tx) => {
      const { contract, isCertain, isOwner } = await matchContract(tx, row)
      const awaits = isCertain && !isOwner ? contract?.owner : undefined
      await tx
        .update(declarations)
        .set({
          purchaseId: contract?.purchase.id ?? null,
          // Only in the first run: a repeated job must not revive an ended link.
          ...(awaits && !row.purchaseId ? { linkEndsAt: declarationDue(row.declaredAt) } : {}),
        })
        .where(eq(declarations.id, row.id))
      return { isCertain, isOwner, awaits, isKnown: contract !== undefined }
    })

  const store = createStore(context, handle)

  async function declare(actor: Actor<User | null>, kind: DeclarationKind, declared: Declared) {
    if (config.consumerLaw === 'none') throw notFound('Page')
    return store(actor, kind, declared)
  }

  return {
    cancelLater: createCancelLater(context, { purchases, cancellation }, store),
    withdraw: (actor, declared) => declare(actor, 'withdrawal', declared),
    cancel: (actor, declared) => declare(actor, 'cancellation', declared),

    async confirm(id, token) {
      if (!isLinkToken('declaration', id, token)) throw new Refusal(400, 'link-invalid', 'This link is not valid')
      const row = await execution.find(id)
      if (!row?.purchaseId) throw new Refusal(410, 'link-expired', 'This link has expired.')
      if (row.state === 'open' && !hasLiveLink(row, now())) throw new Refusal(410, 'link-expired', linkEnded(row))
      const purchase = await purchases.find(row.purchaseId)
      if (!mayCarryOut(row, purchase)) return
      await execution.confirmAndCarryOut(id, { userId: purchase.userId }).catch((error: unknown) => {
        // Confirmed; the hourly job carries it out once the payment account is known.
        if (paymentAccount.isKnown()) throw error
      })
    },

    administration: createAdministration(context, execution),
    carryOutConfirmed: execution.carryOutConfirmed,

    async handToSeller() {
      const unconfirmed = await db
        .select()
        .from(declarations)
        .where(and(awaitsSeller(now()), isNotNull(declarations.linkEndsAt), isNull(declarations.sellerToldAt)))
      for (const row of unconfirmed) {
        if (!(await tellUnconfirmed(row))) return
        await db.update(declarations).set({ sellerToldAt: now() }).where(eq(declarations.id, row.id))
      }
    },

    async endDeclarationLinks(tx, userId) {
      await tx
        .update(declarations)
        .set({ linkEndsAt: now() })
        .where(
          and(
            eq(declarations.state, 'open'),
            or(isNull(declarations.linkEndsAt), gt(declarations.linkEndsAt, now())),
            inArray(
              declarations.purchaseId,
              tx.select({ id: purchaseRows.id }).from(purchaseRows).where(eq(purchaseRows.userId, userId)),
            ),
          ),
        )
    },

    async forgetOld() {
      const { years } = retention.declarations
      const before = retentionStartOfYear(now(), { years })
      await db
        .delete(declarations)
        .where(
          or(
            and(eq(declarations.state, 'done'), lt(declarations.handledAt, before)),
            lt(declarations.declaredAt, retentionStartOfYear(now(), { years: years + 1 })),
          ),
        )
    },
  }
}

/** Stores a declaration together with the job that answers it. */
type Store = (
  actor: Actor<User | null>,
  kind: DeclarationKind,
  declared: Declared,
  purchaseId?: string,
) => Promise<StoredDeclaration>

function createStore({ db, now }: Pick<Context, 'db' | 'now'>, handle: Enqueue<{ id: string }>): Store {
  return async function store({ user, ip }, kind, declared, purchaseId) {
    const { name, contract, email, grounds, reason, endsOn } = declared
    const forCause = grounds === 'good_cause'
    const declaredAt = now()
    // No plan runs longer than a year, and none renews more than once before the day.
    if (endsOn && new Date(endsOn) > addMonths(declaredAt, 24))
      throw invalid('endsOn', 'Please choose a day within the next two years.')
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
          purchaseId: purchaseId ?? null,
        })
        .returning()
      if (!row) throw new Error('The declaration was not stored')
      await handle(tx, { id: row.id })
      return { id: row.id, declaredAt, next: await nextStep(tx, row) }
    })
  }
}

function createCancelLater(
  { db }: Pick<Context, 'db'>,
  { purchases, cancellation }: DeclarationDeps,
  store: Store,
): Declarations['cancelLater'] {
  return async function cancelLater(actor, purchaseId) {
    const { id, status, stripeSubscriptionId } = await purchases.find(purchaseId, actor.user.id)
    if (!stripeSubscriptionId) return cancellation.cancel(actor, id)
    const isAsked = and(eq(declarations.purchaseId, id), ne(declarations.state, 'done'))
    if (status === 'pending_cancel' || (await db.$count(declarations, isAsked)) > 0) return
    if (hasEnded(status)) throw conflict('not-active', 'Only an active subscription can be cancelled')
    const { name, email } = actor.user
    await store(actor, 'cancellation', { name, email, contract: contractNumber(id) }, id)
  }
}

async function matchContract(tx: Transaction, row: DeclarationRow) {
  const contract = await findContract(tx, row)
  return {
    contract,
    isCertain: contract !== undefined && mayCarryOut(row, contract.purchase),
    isOwner: contract !== undefined && row.userId === contract.owner.id,
  }
}

/** Depends only on the typed text and the login, so that strangers can't probe for contracts. */
async function nextStep(tx: Transaction, row: DeclarationRow): Promise<NextStep> {
  if (row.forCause) return 'person'
  if (!row.userId) return 'click'
  const { isCertain, isOwner } = await matchContract(tx, row)
  return isOwner ? (isCertain ? 'none' : 'person') : 'click'
}

/** A link works until the declaration is due. */
const hasLiveLink = ({ linkEndsAt, declaredAt }: DeclarationRow, now: Date) =>
  now < (linkEndsAt ?? declarationDue(declaredAt))
