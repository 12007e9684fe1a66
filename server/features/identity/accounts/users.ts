import { and, eq, inArray, isNull, sql } from 'drizzle-orm'
import type { ParsedInputOf, RawOutputOf } from '#contract/endpoint.ts'
import type { accountsAdmin } from '#contract/identity/accounts-admin.ts'
import { isStaff } from '#contract/permissions.ts'
import type { Actor } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import { decodeCursor, type Page, pageOf } from '#server/database/cursor.ts'
import { lockUser } from '#server/database/people.ts'
import { isLivePurchase, passwordTokens, purchases, userColumns, users } from '#server/database/schema.ts'
import { inOrder, isAfterCursor, usersMatching } from '#server/database/text-search.ts'
import { conflict } from '#server/errors.ts'
import type { AccountEvents } from './email-change.ts'
import type { PasswordLinks } from './passwords.ts'
import { deleteEmailChanges, resetUnprovenAccount } from './proof.ts'
import { mailOtherAdmins } from './roles.ts'

type UserContext = Pick<Context, 'db' | 'now' | 'passwordHasher' | 'audit' | 'mails'>

export type Users = {
  list(filter: UserFilter): Promise<Page<RawOutputOf<typeof accountsAdmin.list>[number]>>
  add(actor: Actor, user: NewUser): Promise<void>
}

type CustomerHelpContext = Pick<Context, 'db' | 'now' | 'mails' | 'audit' | 'refuseShopAddress'>

export type CustomerHelp = {
  sendPasswordLink(actor: Actor, userId: string): Promise<void>
  /** The old mailbox loses the account; the new one gets a link that proves it. */
  correctEmail(actor: Actor, userId: string, email: string): Promise<void>
}

type NewUser = ParsedInputOf<typeof accountsAdmin.add>
type UserFilter = ParsedInputOf<typeof accountsAdmin.list>

export function createUsers(
  { db, now, passwordHasher, audit, mails }: UserContext,
  passwordLinks: PasswordLinks,
): Users {
  return {
    async list({ q, cursor, limit, sort = 'newest' }) {
      const after = decodeCursor(cursor)
      const page = db
        .select(userColumns)
        .from(users)
        .where(
          and(
            isNull(users.deletedAt),
            after ? isAfterCursor(users, after, sort) : undefined,
            q ? inArray(users.id, usersMatching(q)) : undefined,
          ),
        )
        .orderBy(...inOrder(users, sort))
        .limit(limit + 1)
        .as('users')
      const counts = db
        .select({
          active: sql`count(*) filter (where ${isLivePurchase})`.mapWith(Number).as('active'),
          total: sql`count(*)`.mapWith(Number).as('total'),
        })
        .from(purchases)
        .where(eq(purchases.userId, page.id))
        .as('counts')
      const rows = await db
        .select({ ...page._.selectedFields, activePurchases: counts.active, totalPurchases: counts.total })
        .from(page)
        .crossJoinLateral(counts)
        .orderBy(...inOrder(users, sort))
      return pageOf(rows, limit, ({ createdAt, id }) => ({ at: createdAt, id }))
    },

    async add(actor, { password, invite, ...user }) {
      if (password) passwordHasher.refuseCommon(password, 'password')
      const passwordHash = password ? await passwordHasher.hash(password) : null
      await db.transaction(async (tx) => {
        const [added] = await tx
          .insert(users)
          .values({ ...user, passwordHash, createdAt: now() })
          .onConflictDoNothing({ target: users.email })
          .returning({ id: users.id })
        if (!added) throw conflict('email-taken', 'There is already a user with this email')
        await audit.record(tx, actor, { action: 'user.add', aboutId: added.id, detail: { isAdmin: user.isAdmin } })
        if (user.isAdmin) await mailOtherAdmins(tx, mails, added)

        const isInvited = !password || invite || user.isAdmin
        if (!isInvited) return
        const tokenId = await passwordLinks.createLink(tx, added.id, 'firstPassword')
        await mails.send(tx, user.email, 'accountInvitation', { name: user.name, tokenId })
      })
    },
  }
}

type CustomerHelpDeps = AccountEvents & { passwordLinks: PasswordLinks }

export function createCustomerHelp(
  { db, now, mails, audit, refuseShopAddress }: CustomerHelpContext,
  { passwordLinks, accountChanged, endDeclarationLinks }: CustomerHelpDeps,
): CustomerHelp {
  return {
    async sendPasswordLink(actor, userId) {
      await db.transaction(async (tx) => {
        const { email, passwordHash } = await lockUser(tx, userId)
        const tokenId = await passwordLinks.createLink(tx, userId, 'reset')
        if (passwordHash) await mails.send(tx, email, 'resetPassword', { tokenId })
        else await mails.send(tx, email, 'choosePassword', { tokenId })
        await audit.record(tx, actor, { action: 'user.password-link', aboutId: userId })
      })
    },

    async correctEmail(actor, userId, email) {
      await db.transaction(async (tx) => {
        const user = await lockUser(tx, userId)
        if (isStaff(user)) throw conflict('staff-account', 'Staff change their address themselves, in their profile')
        if (user.email === email) throw conflict('same-address', 'This is already the account’s address')
        const [other] = await tx.select({ id: users.id }).from(users).where(eq(users.email, email))
        if (other) throw conflict('email-taken', 'There is already a user with this email')
        refuseShopAddress(email)

        await tx.update(users).set({ email }).where(eq(users.id, userId))
        await resetUnprovenAccount(tx, userId, now())
        await tx.delete(passwordTokens).where(eq(passwordTokens.userId, userId))
        await deleteEmailChanges(tx, userId)
        await endDeclarationLinks(tx, userId)
        await accountChanged(tx, userId)

        const tokenId = await passwordLinks.createLink(tx, userId, 'firstPassword')
        await mails.send(tx, user.email, 'emailMoved', { name: user.name })
        await mails.send(tx, email, 'emailCorrected', { name: user.name, tokenId })
        await audit.record(tx, actor, { action: 'user.correct-email', aboutId: userId })
      })
    },
  }
}
