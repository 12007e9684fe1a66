import { eq } from 'drizzle-orm'
import type { Context } from '#server/context.ts'
import type { Transaction } from '#server/database/connect.ts'
import { personOf } from '#server/database/people.ts'
import { users } from '#server/database/schema.ts'
import type { PasswordLinks } from './passwords.ts'
import { prove, resetUnprovenAccount } from './proof.ts'

type GuestContext = Pick<Context, 'now'>

/** Accounts for people who paid before they had one. */
export type Guests = {
  /** `tokenId` is the first password link of a new account; the receipt carries it. */
  forGuest(tx: Transaction, email: string): Promise<{ id: string; tokenId: string | null }>
  /** Finds or creates an account for an address that an admin vouches for. */
  forImport(tx: Transaction, person: { email: string; name: string }): Promise<string>
  /** Finds or creates an account for the unconfirmed address stored at Stripe; resets an existing unproven account. */
  forTakeover(tx: Transaction, person: { email: string; name: string }): Promise<{ id: string; isNew: boolean }>
  /** Resets an unproven account before it receives something of value, so that only the mailbox's owner can log in. */
  resetUnproven(tx: Transaction, userId: string): Promise<{ wasReset: boolean }>
  /** Creates a link to choose the first password. Returns null if there is a password. */
  firstPasswordLink(tx: Transaction, userId: string): Promise<string | null>
  /**
   * Gives an unproven account to the owner of its mailbox: password, sessions and factors end. Returns the link to a new
   * password, which the receipt carries.
   */
  handOver(tx: Transaction, userId: string): Promise<string>
}

export function createGuests({ now }: GuestContext, passwordLinks: PasswordLinks): Guests {
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
    async forGuest(tx, email) {
      const created = await make(tx, { email, name: '' })
      if (created) return { id: created.id, tokenId: await passwordLinks.createLink(tx, created.id, 'firstPassword') }
      const [known] = await tx.select({ id: users.id }).from(users).where(eq(users.email, email))
      if (!known) throw new Error('The account vanished while booking a guest’s purchase')
      return { id: known.id, tokenId: null }
    },

    async forImport(tx, { email, name }) {
      const created = await make(tx, { email, name, verifiedAt: now() })
      if (created) return created.id
      const known = await lockKnown(tx, email)
      await prove(tx, known.id, { at: now(), inOwnSession: false })
      // Keeps a name that the owner has entered.
      if (!known.verifiedAt || !known.name) await tx.update(users).set({ name }).where(eq(users.id, known.id))
      return known.id
    },

    async forTakeover(tx, { email, name }) {
      const created = await make(tx, { email, name })
      if (created) return { id: created.id, isNew: true }
      const known = await lockKnown(tx, email)
      if (!known.verifiedAt) {
        await resetUnprovenAccount(tx, known.id, now())
        await tx.update(users).set({ name }).where(eq(users.id, known.id))
      }
      return { id: known.id, isNew: false }
    },

    async resetUnproven(tx, userId) {
      const { verifiedAt, handedOverAt } = await personOf(tx, userId)
      if (verifiedAt || handedOverAt) return { wasReset: false }
      await resetUnprovenAccount(tx, userId, now())
      return { wasReset: true }
    },

    async firstPasswordLink(tx, userId) {
      const { passwordHash } = await personOf(tx, userId)
      return passwordHash ? null : passwordLinks.createLink(tx, userId, 'firstPassword')
    },

    async handOver(tx, userId) {
      await resetUnprovenAccount(tx, userId, now())
      return passwordLinks.createLink(tx, userId, 'firstPassword')
    },
  }
}
