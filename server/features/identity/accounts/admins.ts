import { randomBytes } from 'node:crypto'
import { and, eq, isNull, sql } from 'drizzle-orm'
import { commandLine } from '#server/audit/audit.ts'
import type { Context } from '#server/context.ts'
import type { Transaction } from '#server/database/connect.ts'
import { users } from '#server/database/schema.ts'
import { Refusal } from '#server/errors.ts'
import { removeFactors } from '../factors/factors.ts'
import { endSessions } from '../sessions/sessions.ts'
import { deleteEmailChanges, dropPendingChange, proveAddress } from './proof.ts'

/** Admins created on the server itself: the first one on first start, others with `npm run admin`. */
export type Admins = {
  /** Returns the generated credentials, which must be shown once. */
  ensureFirst(email: string, password?: string): Promise<Credentials | undefined>
  /** Creates an admin or promotes an existing user, with a new password either way. */
  add(email: string): Promise<Credentials>
  reset(email: string): Promise<Credentials>
  /** Removes all factors of someone who lost device and codes. The password stays. */
  resetTwoFactor(email: string): Promise<void>
}

export type Credentials = { email: string; password: string }
type AdminContext = Pick<Context, 'db' | 'now' | 'passwordHasher' | 'attempts' | 'audit'>

const randomPassword = () => randomBytes(15).toString('base64url')

export function createAdmins({ db, now, passwordHasher, attempts, audit }: AdminContext): Admins {
  /** Proves the address first, which resets what a stranger may have set: afterwards, only the new password opens the account. */
  async function setPassword(tx: Transaction, id: string, email: string, passwordHash: string) {
    await proveAddress(tx, id, { at: now(), isInOwnSession: false })
    await tx.update(users).set({ passwordHash }).where(eq(users.id, id))
    await endSessions(tx, id)
    // Failed attempts of others must not lock the admin out.
    await attempts.clearAll(tx, email)
  }

  async function upsertAdmin(
    tx: Transaction,
    email: string,
    passwordHash: string,
    action: 'admin.first' | 'admin.add',
  ) {
    const [admin] = await tx
      .insert(users)
      .values({ email, name: 'Admin', passwordHash, isAdmin: true, createdAt: now(), verifiedAt: now() })
      .onConflictDoUpdate({ target: users.email, set: { isAdmin: true } })
      .returning({ id: users.id })
    if (!admin) throw new Error('The admin vanished while being appointed')
    await setPassword(tx, admin.id, email, passwordHash)
    await deleteEmailChanges(tx, admin.id)
    await removeFactors(tx, admin.id)
    await audit.record(tx, commandLine, { action, aboutId: admin.id })
  }

  return {
    async ensureFirst(email, password = randomPassword()) {
      const isActiveAdmin = and(eq(users.isAdmin, true), isNull(users.deletedAt))
      if ((await db.$count(users, isActiveAdmin)) > 0) return undefined
      const passwordHash = await passwordHasher.hash(password)
      return db.transaction(async (tx) => {
        // Two processes may start at the same time; only one of them creates the admin.
        await tx.execute(sql`select pg_advisory_xact_lock(hashtext('first admin'))`)
        if ((await tx.$count(users, isActiveAdmin)) > 0) return undefined
        await upsertAdmin(tx, email, passwordHash, 'admin.first')
        return { email, password }
      })
    },

    async add(email) {
      const password = randomPassword()
      const passwordHash = await passwordHasher.hash(password)
      await db.transaction((tx) => upsertAdmin(tx, email, passwordHash, 'admin.add'))
      return { email, password }
    },

    async reset(email) {
      const password = randomPassword()
      const passwordHash = await passwordHasher.hash(password)
      await db.transaction(async (tx) => {
        const [admin] = await tx
          .select({ id: users.id })
          .from(users)
          .where(and(eq(users.email, email), eq(users.isAdmin, true)))
        if (!admin) throw new Refusal(404, 'not-found', `There is no admin ${email}`)
        await setPassword(tx, admin.id, email, passwordHash)
        await dropPendingChange(tx, admin.id)
        await audit.record(tx, commandLine, { action: 'admin.reset', aboutId: admin.id })
      })
      return { email, password }
    },

    async resetTwoFactor(email) {
      await db.transaction(async (tx) => {
        const [user] = await tx.select({ id: users.id }).from(users).where(eq(users.email, email))
        if (!user) throw new Refusal(404, 'not-found', `There is no account ${email}`)
        await removeFactors(tx, user.id)
        await endSessions(tx, user.id)
        await attempts.clearCodes(tx, user.id)
        await audit.record(tx, commandLine, { action: 'admin.reset-two-factor', aboutId: user.id })
      })
    },
  }
}
