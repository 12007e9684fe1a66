import { and, asc, eq, gt, inArray, isNull, ne } from 'drizzle-orm'
import { dayMs } from '#contract/dates.ts'
import { hasPermission, permissions, type Role } from '#contract/permissions.ts'
import type { Actor } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { lockUser } from '#server/database/people.ts'
import { auditLog, users } from '#server/database/schema.ts'
import { conflict } from '#server/errors.ts'
import type { Mails } from '#server/mails/mails.ts'
import { removeFactors } from '../factors/factors.ts'
import { endSessions } from '../sessions/sessions.ts'
import type { PasswordLinks } from './passwords.ts'
import { deleteEmailChanges, endCredentials } from './proof.ts'

type RoleContext = Pick<Context, 'db' | 'now' | 'audit' | 'mails'>

export type Roles = {
  setRole(actor: Actor, userId: string, rank: Rank): Promise<void>
  /**
   * Emails about `npm run admin`, which itself writes only the audit log. The other admins learn of a new admin, a person
   * of the removal of their second step.
   */
  mailAboutServerCommands(): Promise<void>
}

type Rank = Role | 'admin' | 'none'

const rankOf = ({ isAdmin, role }: { isAdmin: boolean; role: Role | null }): Rank =>
  isAdmin ? 'admin' : (role ?? 'none')

/** Locks all admins, so that concurrent demotions and deletions can't remove the last one. */
export async function lockAdmins(tx: Transaction) {
  const admins = await tx
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.isAdmin, true), isNull(users.deletedAt)))
    .orderBy(asc(users.id))
    .for('update')
  return { isLast: (userId: string) => admins.length === 1 && admins[0]?.id === userId }
}

const findOtherAdmins = (tx: Database | Transaction, userId: string) =>
  tx
    .select({ id: users.id, email: users.email })
    .from(users)
    .where(and(eq(users.isAdmin, true), isNull(users.deletedAt), ne(users.id, userId)))

/** Emails the other admins about a new one, so that they notice if a thief added it. */
export async function mailOtherAdmins(tx: Transaction, mails: Pick<Mails, 'send'>, newAdmin: { id: string }) {
  const [addedUser] = await tx.select({ email: users.email }).from(users).where(eq(users.id, newAdmin.id))
  for (const { email } of await findOtherAdmins(tx, newAdmin.id))
    await mails.send(tx, email, 'newAdmin', { email: addedUser?.email ?? '' })
}

const notProven = () =>
  conflict(
    'person-unproven',
    'This person hasn’t confirmed their email address yet. Send them a password link from their page; once they’ve used it, you can give them a role.',
  )

export function createRoles({ db, now, audit, mails }: RoleContext, passwordLinks: PasswordLinks): Roles {
  return {
    async setRole(actor, userId, rank) {
      await db.transaction(async (tx) => {
        const admins = await lockAdmins(tx)
        const user = await lockUser(tx, userId)
        const oldRank = rankOf(user)
        if (oldRank === rank) return
        if (rank !== 'none' && !user.verifiedAt) throw notProven()
        if (admins.isLast(userId)) throw conflict('last-admin', 'The last admin must stay one')

        const newValues = { isAdmin: rank === 'admin', role: rank === 'admin' || rank === 'none' ? null : rank }
        await tx.update(users).set(newValues).where(eq(users.id, userId))
        // Ends sessions: their lifetime and second step depend on the role at login.
        await endSessions(tx, userId)
        await audit.record(tx, actor, { action: 'user.role', aboutId: userId, detail: { from: oldRank, to: rank } })
        const gainsPermission = permissions.some(
          (permission) => hasPermission(newValues, permission) && !hasPermission(user, permission),
        )
        if (rank !== 'none' && gainsPermission) {
          // Password and devices may be a stranger's, because only the mailbox is proven.
          await endCredentials(tx, userId, now())
          await removeFactors(tx, userId)
          await deleteEmailChanges(tx, userId)
          const tokenId = await passwordLinks.createLink(tx, userId, 'firstPassword')
          await mails.send(tx, user.email, 'roleGiven', { role: rank, tokenId })
        }

        if (rank === 'admin') await mailOtherAdmins(tx, mails, { id: userId })
      })
    },

    async mailAboutServerCommands() {
      const commands = await db
        .select({ id: auditLog.id, action: auditLog.action, userId: users.id, email: users.email })
        .from(auditLog)
        .innerJoin(users, eq(users.id, auditLog.aboutId))
        .where(
          and(
            inArray(auditLog.action, ['admin.add', 'admin.reset-two-factor']),
            gt(auditLog.at, new Date(now().getTime() - dayMs)),
            isNull(users.deletedAt),
          ),
        )
      for (const { id, action, userId, email } of commands) {
        if (action === 'admin.reset-two-factor') {
          await mails.sendOnce(`audit ${id}`, email, 'factorRemoved', { what: 'second step' })
          continue
        }
        for (const admin of await findOtherAdmins(db, userId))
          await mails.sendOnce(`audit ${id} to ${admin.id}`, admin.email, 'newAdmin', { email })
      }
    },
  }
}
