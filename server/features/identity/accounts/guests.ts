import { eq } from 'drizzle-orm'
import type { Context } from '#server/context.ts'
import type { Transaction } from '#server/database/connect.ts'
import { personOf } from '#server/database/people.ts'
import { users } from '#server/database/schema.ts'
import type { PasswordLinks } from './passwords.ts'
import { prove, startOver } from './proof.ts'

/** Accounts for people who paid before they had one. */
export function createGuests({ now, mails }: Pick<Context, 'now' | 'mails'>, passwordLinks: PasswordLinks) {
  /** Undefined if the address has an account already. */
  async function make(tx: Transaction, person: { email: string; name: string; verifiedAt?: Date }) {
    const [made] = await tx
      .insert(users)
      .values({ ...person, createdAt: now() })
      .onConflictDoNothing({ target: users.email })
      .returning({ id: users.id })
    return made
  }

  async function lockKnown(tx: Transaction, email: string) {
    const [known] = await tx.select().from(users).where(eq(users.email, email)).for('update')
    if (!known) throw new Error('The account vanished while it was looked up')
    return known
  }

  return {
    /** `tokenId` is the first password link of a new account; the receipt carries it. */
    async forGuest(tx: Transaction, email: string): Promise<{ id: string; tokenId: string | null }> {
      const made = await make(tx, { email, name: '' })
      if (made) return { id: made.id, tokenId: await passwordLinks.create(tx, made.id, 'firstPassword') }
      const [known] = await tx.select({ id: users.id }).from(users).where(eq(users.email, email))
      if (!known) throw new Error('The account vanished while booking a guest’s purchase')
      return { id: known.id, tokenId: null }
    },

    /** The account for an address that an admin vouches for: an existing one, or a new one without a password. */
    async forImport(tx: Transaction, { email, name }: { email: string; name: string }): Promise<string> {
      const made = await make(tx, { email, name, verifiedAt: now() })
      if (made) return made.id
      const known = await lockKnown(tx, email)
      await prove(tx, known.id, { at: now(), inOwnSession: false })
      // A name that people gave themselves stays.
      if (!known.verifiedAt || !known.name) await tx.update(users).set({ name }).where(eq(users.id, known.id))
      return known.id
    },

    /** By the address that Stripe has, which is not proven: what was set in an unproven account goes. */
    async forTakeover(tx: Transaction, { email, name }: { email: string; name: string }) {
      const made = await make(tx, { email, name })
      if (made) return { id: made.id, isNew: true }
      const known = await lockKnown(tx, email)
      if (!known.verifiedAt) {
        await startOver(tx, known.id, now())
        await tx.update(users).set({ name }).where(eq(users.id, known.id))
      }
      return { id: known.id, isNew: false }
    },

    /** Before an account receives something of value: one whose address nobody proved goes to the mailbox's owner. */
    async resetUnproven(tx: Transaction, userId: string): Promise<{ wasReset: boolean }> {
      const { verifiedAt, handedOverAt } = await personOf(tx, userId)
      if (verifiedAt || handedOverAt) return { wasReset: false }
      await startOver(tx, userId, now())
      return { wasReset: true }
    },

    /** The link for someone who has no password yet: a row of `password_tokens`. */
    async firstPasswordLink(tx: Transaction, userId: string): Promise<string | null> {
      const { passwordHash } = await personOf(tx, userId)
      return passwordHash ? null : passwordLinks.create(tx, userId, 'firstPassword')
    },

    /** Bought with an unproven address: the account is the mailbox's, and nothing known to the person who signed up counts. */
    async handOver(tx: Transaction, { id, email }: { id: string; email: string }, paymentIntentId: string | null) {
      await startOver(tx, id, now())
      const tokenId = await passwordLinks.create(tx, id, 'firstPassword')
      await mails.send(tx, email, 'accountHandedOver', { tokenId, ...(paymentIntentId && { paymentIntentId }) })
    },
  }
}
