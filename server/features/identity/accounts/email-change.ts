import { and, eq, gt, gte, isNull, lt, ne, or, sql } from 'drizzle-orm'
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
  isReserved,
  resetUnprovenAccount,
  undoWindowMs,
} from './proof.ts'

type EmailChangeContext = Pick<
  Context,
  'attempts' | 'audit' | 'db' | 'isLinkToken' | 'mails' | 'now' | 'refuseShopAddress'
>

/** Change of an account's email address. The new mailbox confirms it; the old one can undo it for three days. */
export type EmailChange = {
  /** Answers alike for every address, so that nobody learns who has an account. */
  changeEmail(actor: Actor, email: string): Promise<void>
  /** Works only in the owner's session; otherwise anyone's click could give their address to a stranger's account. */
  confirmEmail(link: Link, actor: Actor<User | null>): Promise<void>
  /** Removes the password and recent factors: a thief may know or have added them. */
  undoEmail(link: Link, actor: Actor<null>): Promise<void>
  /** Deletes former addresses once they can't be restored anymore. */
  forgetOldChanges(): Promise<void>
}

const hour = 3_600_000
const toConfirm = 24 * hour

type Link = { id: string; token: string }
type Recorded = { ip: string; action: 'user.email' | 'user.email-undone' }
export type AccountEvents = Pick<AreaEvents, 'accountChanged' | 'endDeclarationLinks' | 'usernameEntered'>
type EmailChangeDeps = AccountEvents & { passwordLinks: PasswordLinks }

/** Factors added this long before a change of address count as prepared by its thief. */
const factorPreparationMs = 30 * 24 * hour

const elsewhere = () =>
  new Refusal(403, 'login-required', 'Log in to your account in this browser first, then open the link again.')
const useless = () => new Refusal(400, 'link-invalid', 'This link no longer works.')

export function createEmailChange(context: EmailChangeContext, deps: EmailChangeDeps): EmailChange {
  const { db, now, mails, audit, attempts, refuseShopAddress, isLinkToken } = context
  const { accountChanged, endDeclarationLinks, passwordLinks } = deps
  const ago = (milliseconds: number) => new Date(now().getTime() - milliseconds)

  async function setEmail(tx: Transaction, userId: string, email: string, recorded: Recorded) {
    const [user] = await tx
      .update(users)
      .set({ email, verifiedAt: sql`coalesce(${users.verifiedAt}, ${now()})` })
      .where(eq(users.id, userId))
      .returning({ isAdmin: users.isAdmin, role: users.role })
    await tx.delete(passwordTokens).where(eq(passwordTokens.userId, userId))
    await endDeclarationLinks(tx, userId)
    await accountChanged(tx, userId)
    const { ip, action } = recorded
    if (user && isStaff(user)) await audit.record(tx, { user: { id: userId }, ip }, { action, aboutId: userId })
    return user
  }

  /** True if the old address was proven before the change. The first proof may be that of the new address. */
  async function wasProven(tx: Transaction, { userId, confirmedAt }: typeof emailChanges.$inferSelect) {
    const isOlder = lt(users.verifiedAt, confirmedAt ?? now())
    return (await tx.$count(users, and(eq(users.id, userId), isOlder))) > 0
  }

  return {
    async changeEmail(actor, email) {
      const { user } = actor
      if (email === user.email) throw conflict('same-address', 'This is your address already.')
      await attempts.countQuestion(actor.ip, email)
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
      if (!isLinkToken('confirm-email', id, token)) throw useless()
      await db.transaction(async (tx) => {
        const [change] = await tx
          .update(emailChanges)
          .set({ confirmedAt: now() })
          .where(
            and(
              eq(emailChanges.id, id),
              isNull(emailChanges.confirmedAt),
              gt(emailChanges.requestedAt, ago(toConfirm)),
            ),
          )
          .returning()
        if (!change) throw useless()
        const { userId, oldEmail, newEmail } = change
        if (caller?.id !== userId) throw elsewhere()
        const isTaken = await tx.$count(users, and(eq(users.email, newEmail), ne(users.id, userId)))
        if (isTaken > 0 || (await isReserved(tx, newEmail, now(), userId))) throw takenByNow()
        const user = await setEmail(tx, userId, newEmail, { ip, action: 'user.email' })
        // The address may have become the shop's since the request.
        if (!user?.isAdmin) refuseShopAddress(newEmail)
        await mails.send(tx, oldEmail, 'emailChanged', { id })
      })
    },

    async undoEmail({ id, token }, { ip }) {
      if (!isLinkToken('undo-email', id, token)) throw useless()
      await db.transaction(async (tx) => {
        const [change] = await tx
          .select()
          .from(emailChanges)
          .where(and(eq(emailChanges.id, id), gt(emailChanges.confirmedAt, ago(undoWindowMs))))
          .for('update')
        if (!change) throw useless()
        const { userId, oldEmail, requestedAt } = change
        const hadProven = await wasProven(tx, change)
        await restoreAddress(context, deps, tx, { email: oldEmail, to: userId, hadProven })
        if (!hadProven) await resetUnprovenAccount(tx, userId, now())
        const user = await setEmail(tx, userId, oldEmail, { ip, action: 'user.email-undone' })
        // Deletes later changes, too: the owner of an intermediate address could undo otherwise.
        await tx
          .delete(emailChanges)
          .where(and(eq(emailChanges.userId, userId), gte(emailChanges.requestedAt, requestedAt)))
        await endCredentials(tx, userId, now())
        // A mailbox alone must not open a staff account: `npm run admin -- reset-two-factor` removes their factors.
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
            and(isNull(emailChanges.confirmedAt), lt(emailChanges.requestedAt, ago(toConfirm))),
          ),
        )
    },
  }
}

/** Replaces an address that went back to the account it was taken from. */
const releasedEmail = (userId: string) => `released-${userId}@deleted.invalid`

const takenByNow = () => conflict('email-taken', 'This address belongs to another account by now. Please email us.')

/** Takes the address from an account that has it by now. That account keeps its purchases. */
async function restoreAddress(
  { now, mails }: Pick<Context, 'now' | 'mails'>,
  { accountChanged, endDeclarationLinks }: AccountEvents,
  tx: Transaction,
  { email, to, hadProven }: { email: string; to: string; hadProven: boolean },
) {
  const [other] = await tx
    .select({ id: users.id, verifiedAt: users.verifiedAt })
    .from(users)
    .where(and(eq(users.email, email), ne(users.id, to)))
    .for('update')
  if (!other) return
  const isStronger = hadProven && (!other.verifiedAt || (await isReserved(tx, email, now())))
  if (!isStronger) throw takenByNow()
  await resetUnprovenAccount(tx, other.id, now())
  await tx
    .update(users)
    .set({ email: releasedEmail(other.id) })
    .where(eq(users.id, other.id))
  await tx.delete(passwordTokens).where(eq(passwordTokens.userId, other.id))
  await deleteEmailChanges(tx, other.id)
  await endDeclarationLinks(tx, other.id)
  await accountChanged(tx, other.id)
  if ((await tx.$count(purchases, eq(purchases.userId, other.id))) > 0)
    await mails.send(tx, sellersAddress, 'addressRestored', { email, customerId: other.id })
}
