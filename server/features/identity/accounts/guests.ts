import { eq } from 'drizzle-orm'
import type { Context } from '#server/context.ts'
import type { Transaction } from '#server/database/connect.ts'
import { personOf } from '#server/database/people.ts'
import { users } from '#server/database/schema.ts'
import type { PasswordLinks } from './passwords.ts'
import { proveAddress, resetUnprovenAccount } from './proof.ts'

type GuestContext = Pick<Context, 'now'>

export type Guests = {
  /** `tokenId` is the first password link of a new account; the receipt carries it. */
  findOrCreateForGuest(tx: Transaction, email: string): Promise<{ id: string; tokenId: string | null }>
  /** Finds or creates an account for an address that an admin vouches for. */
  findOrCreateForImport(tx: Transaction, person: { email: string; name: string }): Promise<string>
  /** Finds or creates an account for the unconfirmed address stored at Stripe; resets an existing unproven account. */
  findOrCreateForTakeover(
    tx: Transaction,
    person: { email: string; name: string },
  ): Promise<{ id: string; isNew: boolean }>
  /** Resets an unproven account before it receives something of value, so that only the mailbox's owner can log in. */
  resetUnproven(tx: Transaction, userId: string): Promise<{ wasReset: boolean }>
  /** Creates a link to choose the first password. Returns null if the account has a password. */
  createFirstPasswordLink(tx: Transaction, userId: string): Promise<string | null>
  /** Ends password, sessions and factors of an unproven account. Returns the link to a new password, which the receipt carries. */
  handOverToMailboxOwner(tx: Transaction, userId: string): Promise<string>
}

export function createGuests({ now }: GuestContext, passwordLinks: PasswordLinks): Guests {
  /** Returns undefined if the address has an account already. */
  async function createAccount(tx: Transaction, person: { email: string; name: string; verifiedAt?: Date }) {
    const [created] = await tx
      .insert(users)
      .values({ ...person, createdAt: now() })
      .onConflictDoNothing({ target: users.email })
      .returning({ id: users.id })
    return created
  }

  async function lockByEmail(tx: Transaction, email: string) {
    const [existing] = await tx.select().from(users).where(eq(users.email, email)).for('update')
    if (!existing) throw new Error('The account vanished while it was looked up')
    return existing
  }

  return {
    async findOrCreateForGuest(tx, email) {
      const created = await createAccount(tx, { email, name: '' })
      if (created) return { id: created.id, tokenId: await passwordLinks.createLink(tx, created.id, 'firstPassword') }
      const [existing] = await tx.select({ id: users.id }).from(users).where(eq(users.email, email))
      if (!existing) throw new Error('The account vanished while booking a guest’s purchase')
      return { id: existing.id, tokenId: null }
    },

    async findOrCreateForImport(tx, { email, name }) {
      const created = await createAccount(tx, { email, name, verifiedAt: now() })
      if (created) return created.id
      const existing = await lockByEmail(tx, email)
      await proveAddress(tx, existing.id, { at: now(), isInOwnSession: false })
      // Keeps a name that the owner has entered.
      if (!existing.verifiedAt || !existing.name) await tx.update(users).set({ name }).where(eq(users.id, existing.id))
      return existing.id
    },

    async findOrCreateForTakeover(tx, { email, name }) {
      const created = await createAccount(tx, { email, name })
      if (created) return { id: created.id, isNew: true }
      const existing = await lockByEmail(tx, email)
      if (!existing.verifiedAt) {
        await resetUnprovenAccount(tx, existing.id, now())
        await tx.update(users).set({ name }).where(eq(users.id, existing.id))
      }
      return { id: existing.id, isNew: false }
    },

    async resetUnproven(tx, userId) {
      const { verifiedAt, handedOverAt } = await personOf(tx, userId)
      if (verifiedAt || handedOverAt) return { wasReset: false }
      await resetUnprovenAccount(tx, userId, now())
      return { wasReset: true }
    },

    async createFirstPasswordLink(tx, userId) {
      const { passwordHash } = await personOf(tx, userId)
      return passwordHash ? null : passwordLinks.createLink(tx, userId, 'firstPassword')
    },

    async handOverToMailboxOwner(tx, userId) {
      await resetUnprovenAccount(tx, userId, now())
      return passwordLinks.createLink(tx, userId, 'firstPassword')
    },
  }
}
