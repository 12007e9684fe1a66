import { and, eq, gt, gte, isNull, lt, ne, or } from 'drizzle-orm'
import { isStaff } from '#contract/statuses.ts'
import type { Actor } from '#server/actor.ts'
import type { Audit } from '#server/audit/audit.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { emailChanges, passwordTokens, purchases, users } from '#server/database/schema.ts'
import { conflict, Refusal } from '#server/errors.ts'
import { type Mails, sellersAddress } from '#server/mails/mails.ts'
import type { Attempts } from '#server/security/attempts.ts'
import type { EmailQuestions } from '#server/security/email-questions.ts'
import type { Secrets } from '#server/security/secrets.ts'
import type { RefuseShopAddress } from '#server/security/shop-addresses.ts'
import { removeFactorsSince } from '../factors/factors.ts'
import { endSessions, forgetDevices } from '../sessions/sessions.ts'
import { dropPendingChange, isReserved, toUndo } from './changed-addresses.ts'
import type { PasswordLinks } from './password-links.ts'
import { startOver } from './proof.ts'

const hour = 3_600_000
const toConfirm = 24 * hour

type Link = { id: string; token: string }
/** What the audit log says about staff. */
type Recorded = { ip: string; action: 'user.email' | 'user.email-undone' }
type Dependencies = {
  db: Database
  now: () => Date
  mails: Mails
  audit: Audit
  attempts: Attempts
  questions: Pick<EmailQuestions, 'ask'>
  refuseShopAddress: RefuseShopAddress
  isLinkToken: Secrets['isLinkToken']
  passwordLinks: PasswordLinks
  accountChanged(tx: Transaction, userId: string): Promise<void>
  endOpenLinks(tx: Transaction, userId: string): Promise<void>
}

/** How long before a change of address a thief may have prepared it. */
const thiefsTime = 30 * 24 * hour

/** Replaces an address that went back to the account it was taken from. */
const givenBackEmail = (userId: string) => `given-back-${userId}@deleted.invalid`

const takenByNow = () =>
  conflict('email-taken', 'This address belongs to another account by now. Please email us.')
const useless = () => new Refusal(400, 'link-invalid', 'This link no longer works.')

/** Another address for an account: the new one confirms it, the old one can take it back for three days. */
export function createEmailChange(deps: Dependencies) {
  const { db, now, mails, audit, attempts, questions, isLinkToken, passwordLinks } = deps
  const { accountChanged, endOpenLinks } = deps
  const ago = (milliseconds: number) => new Date(now().getTime() - milliseconds)

  /** Gives the account this address; links emailed to the other one stop working. */
  async function setEmail(tx: Transaction, userId: string, email: string, recorded: Recorded) {
    const [user] = await tx
      .update(users)
      .set({ email, verifiedAt: now() })
      .where(eq(users.id, userId))
      .returning({ isAdmin: users.isAdmin, role: users.role })
    await tx.delete(passwordTokens).where(eq(passwordTokens.userId, userId))
    await endOpenLinks(tx, userId)
    await accountChanged(tx, userId)
    const { ip, action } = recorded
    if (user && isStaff(user))
      await audit.record(tx, { user: { id: userId }, ip }, { action, aboutId: userId })
    return user
  }

  /**
   * Nothing blocks an undo: an account that has got the address meanwhile loses it, and whatever opens it. What was
   * bought with it stays there; the mailbox's owner asks the seller, who gives that account another address.
   */
  async function giveBack(tx: Transaction, email: string, userId: string) {
    const [other] = await tx
      .select({ id: users.id })
      .from(users)
      .where(and(eq(users.email, email), ne(users.id, userId)))
      .for('update')
    if (!other) return
    if (!(await isReserved(tx, email, now()))) throw takenByNow()
    await startOver(tx, other.id, now())
    await tx
      .update(users)
      .set({ email: givenBackEmail(other.id) })
      .where(eq(users.id, other.id))
    await tx.delete(passwordTokens).where(eq(passwordTokens.userId, other.id))
    await tx.delete(emailChanges).where(eq(emailChanges.userId, other.id))
    await endOpenLinks(tx, other.id)
    await accountChanged(tx, other.id)
    if ((await tx.$count(purchases, eq(purchases.userId, other.id))) > 0)
      await mails.send(tx, sellersAddress, 'addressGivenBack', { email, customerId: other.id })
  }

  return {
    /** The same answer for every address: whether someone has an account is told only to its mailbox. */
    async changeEmail(actor: Actor, email: string) {
      const { user } = actor
      if (email === user.email) throw conflict('same-address', 'This is your address already.')
      await questions.ask(actor.ip, email)
      if (!user.isAdmin) deps.refuseShopAddress(email)
      await db.transaction(async (tx) => {
        await dropPendingChange(tx, user.id)
        const [change] = await tx
          .insert(emailChanges)
          .values({ userId: user.id, oldEmail: user.email, newEmail: email, requestedAt: now() })
          .returning({ id: emailChanges.id })
        if (!(await attempts.mayMail(tx, 'new address', email))) return
        if ((await tx.$count(users, eq(users.email, email))) > 0)
          await mails.send(tx, email, 'emailTaken', {})
        else await mails.send(tx, email, 'confirmEmail', { id: change?.id ?? '' })
      })
    },

    async confirmEmail({ id, token }: Link, { ip }: Actor<null>) {
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
        const isTaken = await tx.$count(users, and(eq(users.email, newEmail), ne(users.id, userId)))
        if (isTaken > 0 || (await isReserved(tx, newEmail, now(), userId))) throw takenByNow()
        const user = await setEmail(tx, userId, newEmail, { ip, action: 'user.email' })
        // It may have become the shop's since.
        if (!user?.isAdmin) deps.refuseShopAddress(newEmail)
        await mails.send(tx, oldEmail, 'emailChanged', { id })
      })
    },

    /**
     * Whoever changed it may know the password and have added a passkey, long before: the account starts over with the
     * old address, without the factors of the last 30 days, and with a password that only this mailbox can choose.
     */
    async undoEmail({ id, token }: Link, { ip }: Actor<null>) {
      if (!isLinkToken('undo-email', id, token)) throw useless()
      await db.transaction(async (tx) => {
        const [change] = await tx
          .select()
          .from(emailChanges)
          .where(and(eq(emailChanges.id, id), gt(emailChanges.confirmedAt, ago(toUndo))))
          .for('update')
        if (!change) throw useless()
        const { userId, oldEmail, requestedAt } = change
        await giveBack(tx, oldEmail, userId)
        await setEmail(tx, userId, oldEmail, { ip, action: 'user.email-undone' })
        // Also later ones, or whoever owns an address from in between could undo in turn.
        await tx
          .delete(emailChanges)
          .where(and(eq(emailChanges.userId, userId), gte(emailChanges.requestedAt, requestedAt)))
        await tx.update(users).set({ passwordHash: null, handedOverAt: now() }).where(eq(users.id, userId))
        await removeFactorsSince(tx, userId, new Date(requestedAt.getTime() - thiefsTime))
        await forgetDevices(tx, userId)
        await endSessions(tx, userId)
        const tokenId = await passwordLinks.create(tx, userId, 'reset')
        await mails.send(tx, oldEmail, 'resetPassword', { tokenId })
      })
    },

    /** Nobody's former address is kept longer than it can be used. */
    async forgetOldChanges() {
      await db
        .delete(emailChanges)
        .where(
          or(
            lt(emailChanges.confirmedAt, ago(toUndo)),
            and(isNull(emailChanges.confirmedAt), lt(emailChanges.requestedAt, ago(toConfirm))),
          ),
        )
    },
  }
}
