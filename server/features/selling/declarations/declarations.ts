import { and, eq, gt, inArray, isNull, lt, lte, ne, or } from 'drizzle-orm'
import { addMonths } from '#contract/plans.ts'
import { retention, retentionStartOfYear } from '#contract/retention.ts'
import { endedLinkText } from '#contract/selling/declaration-texts.ts'
import type { NextStep } from '#contract/selling/declarations.ts'
import { contractNumber, declarationDue } from '#contract/selling/legal/consumer-law.ts'
import { type DeclarationKind, hasEnded } from '#contract/statuses.ts'
import type { Actor, User } from '#server/actor.ts'
import { runEach } from '#server/concurrency/run-each.ts'
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

/** A declaration counts from the moment it arrives, so it is stored first. A job then looks for its contract. */
export type Declarations = {
  /** Stores a cancellation for a job to carry out, while Stripe can't be called. Idempotent. */
  cancelLater(actor: Actor, purchaseId: string): Promise<void>
  withdraw(actor: Actor<User | null>, input: DeclarationInput): Promise<StoredDeclaration>
  cancel(actor: Actor<User | null>, input: DeclarationInput): Promise<StoredDeclaration>
  confirm(id: string, token: string): Promise<void>
  administration: DeclarationAdministration
  carryOutConfirmed(): Promise<void>
  /** Emails the seller once about declarations that nobody confirmed for three days, or that were over the email limit. */
  handToSeller(): Promise<void>
  /** Ends links that were sent to a person's former email address. The seller decides about those declarations. */
  endDeclarationLinks(tx: Transaction, userId: string): Promise<void>
  /** Keeps handled declarations for the limitation period for lawsuits, and all others a year longer. */
  forgetOld(): Promise<void>
}

type StoredDeclaration = { id: string; declaredAt: Date; next: NextStep }

type DeclarationInput = {
  name: string
  contract: string
  email: string
  grounds?: 'ordinary' | 'good_cause'
  reason?: string | undefined
  endsOn?: string | undefined
}

export { awaitsSeller }

const hourMs = 3_600_000

export function createDeclarations(
  context: DeclarationContext,
  { purchases, cancellation }: DeclarationDeps,
): Declarations {
  const { db, now, queue, config, isLinkToken, paymentAccount } = context
  const { sendReceipt, askOwner, tellSeller, tellUnconfirmed } = createCorrespondence(context)
  const execution = createExecution(context, purchases, cancellation)

  const handleDeclaration = queue.defineJob<{ id: string }>('handle-declaration', async ({ id }) => {
    const declaration = await execution.find(id)
    if (declaration?.state !== 'open') return
    const { contract, needsNoDecision, isOwner, ownerToAsk } = await linkContract(declaration)
    const takesEffectNow = needsNoDecision && isOwner
    const receiptReachesOwner = ownerToAsk?.email === declaration.email
    await sendReceipt(declaration, { takesEffectNow, withLink: receiptReachesOwner })
    if (ownerToAsk && !receiptReachesOwner) await askOwner(declaration, ownerToAsk)
    if (takesEffectNow) await execution.confirmAndCarryOut(id)
    if (needsNoDecision) return
    const isSent = await tellSeller(declaration, contract !== undefined)
    if (isSent) await recordSellerTold(id)
  })

  const recordSellerTold = (id: string) =>
    db.update(declarations).set({ sellerToldAt: now() }).where(eq(declarations.id, id))

  /** Stores the matching contract. `ownerToAsk` is its owner, if only a click on the emailed link is missing. */
  const linkContract = (declaration: DeclarationRow) =>
    db.transaction(async (tx) => {
      const { contract, needsNoDecision, isOwner } = await matchContract(tx, declaration)
      const ownerToAsk = needsNoDecision && !isOwner ? contract?.owner : undefined
      // Sets the link's end only in the first run, so that a repeated job doesn't revive an ended link.
      const isFirstRun = declaration.purchaseId === null
      const linkColumns = ownerToAsk && isFirstRun ? { linkEndsAt: declarationDue(declaration.declaredAt) } : {}
      await tx
        .update(declarations)
        .set({ purchaseId: contract?.purchase.id ?? null, ...linkColumns })
        .where(eq(declarations.id, declaration.id))
      return { contract, needsNoDecision, isOwner, ownerToAsk }
    })

  const storeDeclaration = createStoreDeclaration(context, handleDeclaration)

  async function declare(actor: Actor<User | null>, kind: DeclarationKind, input: DeclarationInput) {
    if (config.consumerLaw === 'none') throw notFound('Page')
    return storeDeclaration(actor, kind, input)
  }

  return {
    cancelLater: createCancelLater(context, { purchases, cancellation }, storeDeclaration),
    withdraw: (actor, input) => declare(actor, 'withdrawal', input),
    cancel: (actor, input) => declare(actor, 'cancellation', input),

    async confirm(id, token) {
      if (!isLinkToken('declaration', id, token)) throw new Refusal(400, 'link-invalid', 'This link is not valid')
      const declaration = await execution.find(id)
      if (!declaration?.purchaseId) throw new Refusal(410, 'link-expired', 'This link has expired.')
      if (declaration.state === 'open' && !hasLiveLink(declaration, now()))
        throw new Refusal(410, 'link-expired', endedLinkText(declaration))
      const purchase = await purchases.find(declaration.purchaseId)
      if (!mayCarryOut(declaration, purchase)) return
      await execution.confirmAndCarryOut(id, { userId: purchase.userId }).catch((error: unknown) => {
        // The confirmation is stored, so the hourly job carries it out once the payment account is known.
        if (paymentAccount.isKnown()) throw error
      })
    },

    administration: createAdministration(context, execution),
    carryOutConfirmed: execution.carryOutConfirmed,

    async handToSeller() {
      const untold = await db
        .select()
        .from(declarations)
        .where(
          and(
            awaitsSeller(now()),
            isNull(declarations.sellerToldAt),
            // The job of a declaration from the last hour may not have run yet.
            lte(declarations.declaredAt, new Date(now().getTime() - hourMs)),
          ),
        )
        .orderBy(declarations.declaredAt)
      await runEach('declarations', untold, async (declaration) => {
        const isUnconfirmed = declaration.linkEndsAt !== null
        const hasContract = declaration.purchaseId !== null
        const isSent = isUnconfirmed ? await tellUnconfirmed(declaration) : await tellSeller(declaration, hasContract)
        if (isSent) await recordSellerTold(declaration.id)
      })
    },

    async endDeclarationLinks(tx, userId) {
      const hasNotEnded = or(isNull(declarations.linkEndsAt), gt(declarations.linkEndsAt, now()))
      const idsOfPurchases = tx
        .select({ id: purchaseRows.id })
        .from(purchaseRows)
        .where(eq(purchaseRows.userId, userId))
      await tx
        .update(declarations)
        .set({ linkEndsAt: now() })
        .where(and(eq(declarations.state, 'open'), hasNotEnded, inArray(declarations.purchaseId, idsOfPurchases)))
    },

    async forgetOld() {
      const { years } = retention.declarations
      const handledBefore = retentionStartOfYear(now(), { years })
      const declaredBefore = retentionStartOfYear(now(), { years: years + 1 })
      const wasHandledLongAgo = and(eq(declarations.state, 'done'), lt(declarations.handledAt, handledBefore))
      const wasDeclaredLongAgo = lt(declarations.declaredAt, declaredBefore)
      await db.delete(declarations).where(or(wasHandledLongAgo, wasDeclaredLongAgo))
    },
  }
}

type StoreDeclaration = (
  actor: Actor<User | null>,
  kind: DeclarationKind,
  input: DeclarationInput,
  purchaseId?: string,
) => Promise<StoredDeclaration>

function createStoreDeclaration(
  { db, now }: Pick<Context, 'db' | 'now'>,
  handleDeclaration: Enqueue<{ id: string }>,
): StoreDeclaration {
  return async function storeDeclaration({ user, ip }, kind, input, purchaseId) {
    const { name, contract, email, grounds, reason, endsOn } = input
    const forCause = grounds === 'good_cause'
    const declaredAt = now()
    // Plans run for a year at most, so two years cover the present term and one renewal.
    if (endsOn && new Date(endsOn) > addMonths(declaredAt, 24))
      throw invalid('endsOn', 'Please choose a day within the next two years.')
    return db.transaction(async (tx) => {
      const [declaration] = await tx
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
      if (!declaration) throw new Error('The declaration was not stored')
      await handleDeclaration(tx, { id: declaration.id })
      return { id: declaration.id, declaredAt, next: await nextStepOf(tx, declaration) }
    })
  }
}

function createCancelLater(
  { db }: Pick<Context, 'db'>,
  { purchases, cancellation }: DeclarationDeps,
  storeDeclaration: StoreDeclaration,
): Declarations['cancelLater'] {
  return async function cancelLater(actor, purchaseId) {
    const { id, status, stripeSubscriptionId } = await purchases.find(purchaseId, actor.user.id)
    if (!stripeSubscriptionId) return cancellation.cancel(actor, id)
    const isUnhandled = and(eq(declarations.purchaseId, id), ne(declarations.state, 'done'))
    const isDeclared = (await db.$count(declarations, isUnhandled)) > 0
    if (status === 'pending_cancel' || isDeclared) return
    if (hasEnded(status)) throw conflict('not-active', 'Only an active subscription can be cancelled')
    const { name, email } = actor.user
    await storeDeclaration(actor, 'cancellation', { name, email, contract: contractNumber(id) }, id)
  }
}

async function matchContract(tx: Transaction, declaration: DeclarationRow) {
  const contract = await findContract(tx, declaration)
  return {
    contract,
    needsNoDecision: contract !== undefined && mayCarryOut(declaration, contract.purchase),
    isOwner: contract !== undefined && declaration.userId === contract.owner.id,
  }
}

/** Depends only on the typed text and the login, so that strangers can't probe for contracts. */
async function nextStepOf(tx: Transaction, declaration: DeclarationRow): Promise<NextStep> {
  if (declaration.forCause) return 'person'
  if (!declaration.userId) return 'click'
  const { needsNoDecision, isOwner } = await matchContract(tx, declaration)
  if (!isOwner) return 'click'
  return needsNoDecision ? 'none' : 'person'
}

const hasLiveLink = ({ linkEndsAt, declaredAt }: DeclarationRow, now: Date) =>
  now < (linkEndsAt ?? declarationDue(declaredAt))
