import { and, eq, inArray, isNull, sql } from 'drizzle-orm'
import type { Actor } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import { decodeCursor, encodeCursor, pageOf } from '#server/database/cursor.ts'
import { purchases, users } from '#server/database/schema.ts'
import { beyond, findUsers, inOrder, matches, type Sort, upTo } from '#server/database/text-search.ts'
import { userColumns } from '#server/database/user-columns.ts'
import { conflict } from '#server/errors.ts'
import type { PasswordLinks } from './passwords.ts'
import { tellAdmins } from './roles.ts'

type NewUser = {
  email: string
  password: string
  name: string
  isAdmin: boolean
  invite?: boolean | undefined
}
type Wanted = { limit: number; cursor?: string | undefined; q?: string | undefined; sort?: Sort | undefined }

/** Users as an admin sees them. */
export function createUsers({ db, now, passwords, audit, mails }: Context, passwordLinks: PasswordLinks) {
  return {
    async list({ q, cursor, limit, sort = 'newest' }: Wanted) {
      const after = decodeCursor(cursor)
      const found = q ? await findUsers(db, q, { list: users, after, sort }) : undefined
      const [few, horizon] = [found?.userIds, found?.horizon]
      const page = db
        .select(userColumns)
        .from(users)
        .where(
          and(
            isNull(users.deletedAt),
            after ? beyond(users, after, sort) : undefined,
            few ? inArray(users.id, few) : undefined,
            horizon ? upTo(users, horizon, sort) : undefined,
            q && !few ? matches(q) : undefined,
          ),
        )
        .orderBy(...inOrder(users, sort, few ? 'sorting' : 'index'))
        .limit(limit + 1)
        .as('users')
      const counts = db
        .select({
          active: sql`count(*) filter (where ${purchases.status} = 'active')`.mapWith(Number).as('active'),
          total: sql`count(*)`.mapWith(Number).as('total'),
        })
        .from(purchases)
        .where(eq(purchases.userId, page.id))
        .as('counts')
      const rows = await db
        .select({
          ...page._.selectedFields,
          activePurchases: counts.active,
          totalPurchases: counts.total,
        })
        .from(page)
        .crossJoinLateral(counts)
        .orderBy(...inOrder(users, sort))
      const { items, next } = pageOf(rows, limit, ({ createdAt, id }) => ({ at: createdAt, id }))
      return { items, next: next ?? (horizon && encodeCursor(horizon)) }
    },

    async add(actor: Actor, { password, invite, ...user }: NewUser) {
      passwords.refuseCommon(password, 'password')
      const passwordHash = await passwords.hash(password)
      await db.transaction(async (tx) => {
        const [added] = await tx
          .insert(users)
          .values({ ...user, passwordHash, createdAt: now(), verifiedAt: now() })
          .onConflictDoNothing({ target: users.email })
          .returning({ id: users.id })
        if (!added) throw conflict('email-taken', 'There is already a user with this email')
        await audit.record(tx, actor, {
          action: 'user.add',
          aboutId: added.id,
          detail: { isAdmin: user.isAdmin },
        })
        if (user.isAdmin) await tellAdmins(tx, mails, added)
        if (!invite) return
        const tokenId = await passwordLinks.create(tx, added.id, 'firstPassword')
        await mails.send(tx, user.email, 'accountInvitation', { name: user.name, tokenId })
      })
    },
  }
}
