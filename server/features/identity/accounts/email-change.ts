import { and, eq, gt, gte, isNull, lt, ne, or, sql } from 'drizzle-orm'
import { dayMs } from '#contract/dates.ts'
import { isStaff } from '#contract/permissions.ts'
import type { Actor, User } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import type { Transaction } from '#server/database/connect.ts'
import { emailChanges, passwordTokens, purchases, users } from '#server/database/schema.ts'
import { conflict, Refusal } from '#server/errors.ts'
import type { AreaEvents } from '#server/events.ts'
import { sellersAddress } from '#server/mails/mails.ts'
import { removeFactorsSince } from '../factors/factors.ts'
import type { PasswordLinks } from './passwords.ts'
import {
  deleteEmailChanges,
  dropPendingChange,
  endCredentials,
  isReservedForUndo,
  resetUnprovenAccount,
  undoWindowMs,
} from './proof.ts'

type EmailChangeContext = Pick<
  Context,
  'attempts' | 'audit' | 'db' | 'isLinkToken' | 'mails' | 'now' | 'refuseShopAddress'
>

/** Change of an account's email address. The new mailbox confirms it; the old one can undo it for three days. */
export type EmailChange = {
  /** Gives the same answer for every address, so that nobody learns who has an account. */
  requestChange(actor: Actor, email: string): Promise<void>
  /** Works only in the account's own session; otherwise a stranger could get someone's address by making them click. */
  confirmEmail(link: Link, actor: Actor<User | null>): Promise<void>
  /** Restores the old address. Removes the password and recent factors, because a thief may know or have added them. */
  undoEmail(link: Link, actor: Actor<null>): Promise<void>
  /** Deletes changes that can't be undone anymore, and requests that were not confirmed in time. */
  forgetOldChanges(): Promise<void>
}

const confirmWindowMs = dayMs

type Link = { id: string; token: string }
type AuditEntry = { ip: string; action: 'user.email' | 'user.email-undone' }
export type AccountEvents = Pick<AreaEvents, 'accountChanged' | 'endDeclarationLinks' | 'usernameEntered'>
type EmailChangeDeps = AccountEvents & { passwordLinks: PasswordLinks }

/** An undo also removes factors added up to 30 days before the change, because a thief may have prepared them. */
const factorPreparationMs = 30 * dayMs

const loginRequired = () =>
  new Refusal(403, 'login-required', 'Log in to your account in this browser first, then open the link again.')
const invalidLink = () => new Refusal(400, 'link-invalid', 'This link no longer works.')

export function createEmailChange(context: EmailChangeContext, deps: EmailChangeDeps): EmailChange {
  const { db, now, mails, audit, attempts, refuseShopAddress, isLinkToken } = context
  const { accountChanged, endDeclarationLinks, passwordLinks } = deps
  const ago = (milliseconds: number) => new Date(now().getTime() - milliseconds)

  async function setEmail(tx: Transaction, userId: string, email: string, auditEntry: AuditEntry) {
    const [user] = await tx
      .update(users)
      .set({ email, verifiedAt: sql`coalesce(${users.verifiedAt}, ${now()})` })
      .where(eq(users.id, userId))
      .returning({ isAdmin: users.isAdmin, role: users.role })
    await tx.delete(passwordTokens).where(eq(passwordTokens.userId, userId))
    await endDeclarationLinks(tx, userId)
    await accountChanged(tx, userId)
    const { ip, action } = auditEntry
    if (user && isStaff(user)) await audit.record(tx, { user: { id: userId }, ip }, { action, aboutId: userId })
    return user
  }

  /** True if the old address was proven. A later `verifiedAt` stems from confirming the new address. */
  async function wasOldAddressProven(tx: Transaction, { userId, confirmedAt }: typeof emailChanges.$inferSelect) {
    const wasProvenBefore = lt(users.verifiedAt, confirmedAt ?? now())
    return (await tx.$count(users, and(eq(users.id, userId), wasProvenBefore))) > 0
  }

  return {
    async requestChange(actor, email) {
      const { user } = actor
      if (email === user.email) throw conflict('same-address', 'This is your address already.')
      await attempts.countAddressLookup(actor.ip, email)
      if (!user.isAdmin) refuseShopAddress(email)
      await db.transaction(async (tx) => {
        await dropPendingChange(tx, user.id)
        const [change] = await tx
          .insert(emailChanges)
          .values({ userId: user.id, oldEmail: user.email, newEmail: email, requestedAt: now() })
          .returning({ id: emailChanges.id })
        if (!(await attempts.mayMail(tx, 'new address', email))) return
        if ((await tx.$count(users, eq(users.email, email))) > 0) await mails.send(tx, email, 'emailTaken', {})
        else await mails.send(tx, email, 'confirmEmail', { id: change?.id ?? '' })
      })
    },

    async confirmEmail({ id, token }, { ip, user: caller }) {
      if (!isLinkToken('confirm-email', id, token)) throw invalidLink()
      await db.transaction(async (tx) => {
        const [change] = await tx
          .update(emailChanges)
          .set({ confirmedAt: now() })
          .where(
            and(
              eq(emailChanges.id, id),
              isNull(emailChanges.confirmedAt),
              gt(emailChanges.requestedAt, ago(confirmWindowMs)),
            ),
          )
          .returning()
        if (!change) throw invalidLink()

        const { userId, oldEmail, newEmail } = change
        if (caller?.id !== userId) throw loginRequired()
        const otherAccounts = await tx.$count(users, and(eq(users.email, newEmail), ne(users.id, userId)))
        if (otherAccounts > 0 || (await isReservedForUndo(tx, newEmail, now(), userId))) throw addressTaken()
        const user = await setEmail(tx, userId, newEmail, { ip, action: 'user.email' })
        // The address may have become the shop's since the request.
        if (!user?.isAdmin) refuseShopAddress(newEmail)
        await mails.send(tx, oldEmail, 'emailChanged', { id })
      })
    },

    async undoEmail({ id, token }, { ip }) {
      if (!isLinkToken('undo-email', id, token)) throw invalidLink()
      await db.transaction(async (tx) => {
        const [change] = await tx
          .select()
          .from(emailChanges)
          .where(and(eq(emailChanges.id, id), gt(emailChanges.confirmedAt, ago(undoWindowMs))))
          .for('update')
        if (!change) throw invalidLink()

        const { userId, oldEmail, requestedAt } = change
        const wasProven = await wasOldAddressProven(tx, change)
        await releaseAddress(context, deps, tx, { email: oldEmail, forUserId: userId, wasProven })
        if (!wasProven) await resetUnprovenAccount(tx, userId, now())
        const user = await setEmail(tx, userId, oldEmail, { ip, action: 'user.email-undone' })
        // Deletes later changes too; otherwise the owner of a later address could undo them.
        await tx
          .delete(emailChanges)
          .where(and(eq(emailChanges.userId, userId), gte(emailChanges.requestedAt, requestedAt)))
        await endCredentials(tx, userId, now())
        // Staff keep their factors, because a mailbox alone must not open a staff account.
        if (!user || !isStaff(user))
          await removeFactorsSince(tx, userId, new Date(requestedAt.getTime() - factorPreparationMs))
        const tokenId = await passwordLinks.createLink(tx, userId, 'reset')
        await mails.send(tx, oldEmail, 'resetPassword', { tokenId })
      })
    },

    async forgetOldChanges() {
      await db
        .delete(emailChanges)
        .where(
          or(
            lt(emailChanges.confirmedAt, ago(undoWindowMs)),
            and(isNull(emailChanges.confirmedAt), lt(emailChanges.requestedAt, ago(confirmWindowMs))),
          ),
        )
    },
  }
}

/** Placeholder for the address that an account lost to its earlier owner. */
const releasedEmail = (userId: string) => `released-${userId}@deleted.invalid`

const addressTaken = () => conflict('email-taken', 'This address belongs to another account by now. Please email us.')

/**
 * Takes the address from the account that has it now, which keeps its purchases. Throws if the earlier owner never
 * proved it. Throws also if the present owner has proven it, unless it is reserved for an undo (`isReservedForUndo`).
 */
async function releaseAddress(
  { now, mails }: Pick<Context, 'now' | 'mails'>,
  { accountChanged, endDeclarationLinks }: AccountEvents,
  tx: Transaction,
  { email, forUserId, wasProven }: { email: string; forUserId: string; wasProven: boolean },
) {
  const [otherAccount] = await tx
    .select({ id: users.id, verifiedAt: users.verifiedAt })
    .from(users)
    .where(and(eq(users.email, email), ne(users.id, forUserId)))
    .for('update')
  if (!otherAccount) return
  const mayTakeBack = wasProven && (!otherAccount.verifiedAt || (await isReservedForUndo(tx, email, now())))
  if (!mayTakeBack) throw addressTaken()
  // Without the address, an account is unproven, even if it was proven before.
  await resetUnprovenAccount(tx, otherAccount.id, now())
  await tx
    .update(users)
    .set({ email: releasedEmail(otherAccount.id) })
    .where(eq(users.id, otherAccount.id))
  await tx.delete(passwordTokens).where(eq(passwordTokens.userId, otherAccount.id))
  await deleteEmailChanges(tx, otherAccount.id)
  await endDeclarationLinks(tx, otherAccount.id)
  await accountChanged(tx, otherAccount.id)
  if ((await tx.$count(purchases, eq(purchases.userId, otherAccount.id))) > 0)
    await mails.send(tx, sellersAddress, 'addressRestored', { email, customerId: otherAccount.id })
}
