import { and, asc, eq, isNull, ne } from 'drizzle-orm'
import type { Role } from '#contract/statuses.ts'
import type { Actor } from '#server/actor.ts'
import type { Audit } from '#server/audit/audit.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { users } from '#server/database/schema.ts'
import { conflict, notFound } from '#server/errors.ts'
import type { Mails } from '#server/mails/mails.ts'
import { removeFactors } from '../factors/factors.ts'
import { endSessions } from '../sessions/sessions.ts'
import { forgetChanges } from './changed-addresses.ts'

type Standing = Role | 'admin' | 'none'

const power: Record<Standing, number> = { none: 0, support: 1, admin: 2 }

const standingOf = ({ isAdmin, role }: { isAdmin: boolean; role: Role | null }): Standing =>
  isAdmin ? 'admin' : (role ?? 'none')

/** Locking all admins makes those who demote or delete each other take turns, so one is left. */
export async function lockAdmins(tx: Transaction) {
  const admins = await tx
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.isAdmin, true), isNull(users.deletedAt)))
    .orderBy(asc(users.id))
    .for('update')
  return { isLast: (userId: string) => admins.length === 1 && admins[0]?.id === userId }
}

/** The other admins hear of a new one: whoever made it, they would notice. */
export async function tellAdmins(tx: Transaction, mails: Pick<Mails, 'send'>, made: { id: string }) {
  const others = await tx
    .select({ email: users.email })
    .from(users)
    .where(and(eq(users.isAdmin, true), isNull(users.deletedAt), ne(users.id, made.id)))
  const [admin] = await tx.select({ email: users.email }).from(users).where(eq(users.id, made.id))
  for (const { email } of others) await mails.send(tx, email, 'newAdmin', { email: admin?.email ?? '' })
}

const notProven = () =>
  conflict(
    'person-unproven',
    'This person hasn’t confirmed their email address yet. Send them a password link from their page; once they’ve used it, you can give them a role.',
  )

type Dependencies = { db: Database; audit: Audit; mails: Mails }

/** Who is an admin, who is support, and who is neither. */
export function createRoles({ db, audit, mails }: Dependencies) {
  return {
    async setRole(actor: Actor, userId: string, standing: Standing) {
      await db.transaction(async (tx) => {
        const admins = await lockAdmins(tx)
        const [user] = await tx
          .select({
            isAdmin: users.isAdmin,
            role: users.role,
            email: users.email,
            verifiedAt: users.verifiedAt,
          })
          .from(users)
          .where(and(eq(users.id, userId), isNull(users.deletedAt)))
          .for('update')
        if (!user) throw notFound('User')
        const before = standingOf(user)
        if (before === standing) return
        if (standing !== 'none' && !user.verifiedAt) throw notProven()
        if (admins.isLast(userId)) throw conflict('last-admin', 'The last admin must stay one')
        const role = standing === 'admin' || standing === 'none' ? null : standing
        await tx
          .update(users)
          .set({ isAdmin: standing === 'admin', role })
          .where(eq(users.id, userId))
        // A session keeps what it was begun with: how long it lasts, and whether it had a second step.
        await endSessions(tx, userId)
        await audit.record(tx, actor, {
          action: 'user.role',
          aboutId: userId,
          detail: { from: before, to: standing },
        })
        if (standing !== 'none' && power[standing] > power[before]) {
          // Whatever else opens the account may be someone else's: only the mailbox is proven.
          await removeFactors(tx, userId)
          await forgetChanges(tx, userId)
          await mails.send(tx, user.email, 'roleGiven', { role: standing })
        }
        if (standing === 'admin') await tellAdmins(tx, mails, { id: userId })
      })
    },
  }
}
