import { and, eq, gt, isNull } from 'drizzle-orm'
import { isStaff } from '#contract/permissions.ts'
import type { Actor, User } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import { passwordTokens, userColumns, users } from '#server/database/schema.ts'
import { Refusal } from '#server/errors.ts'
import { hashToken } from '#server/security/tokens.ts'
import type { LoginResult } from '../sessions/sessions.ts'
import type { PasswordLinks } from './passwords.ts'
import { proveAddress } from './proof.ts'

type LoginLinkContext = Pick<Context, 'db' | 'mails' | 'now' | 'queue' | 'securityLog'>

/** For buyers; staff get none. */
export type LoginLinks = {
  /** Does the same work for every address; a job sends the link, which leads to `returnPath` after the login. */
  request(email: string, returnPath?: string): Promise<void>
  /** The first proof of the address from another browser resets the account. A second factor may still be required. */
  logIn(actor: Actor<User | null>, token: string): Promise<LoginResult>
}

const hourMs = 3_600_000
const maxLinksPerHour = 3

type LinkRequest = { email: string; returnPath?: string }

const invalidLink = () =>
  new Refusal(400, 'link-invalid', 'This link no longer works: each one works once, for 15 minutes. Ask for a new one.')

export function createLoginLinks(
  { db, now, mails, queue, securityLog }: LoginLinkContext,
  passwordLinks: Pick<PasswordLinks, 'createLink'>,
): LoginLinks {
  const enqueueLink = queue.defineJob<LinkRequest>('login-link', ({ email, ...destination }) =>
    db.transaction(async (tx) => {
      const [user] = await tx
        .select({ id: users.id, isAdmin: users.isAdmin, role: users.role })
        .from(users)
        .where(eq(users.email, email))
        .for('no key update')
      if (!user || isStaff(user)) return
      const isRecentLoginLink = and(
        eq(passwordTokens.userId, user.id),
        eq(passwordTokens.purpose, 'login'),
        gt(passwordTokens.createdAt, new Date(now().getTime() - hourMs)),
      )
      if ((await tx.$count(passwordTokens, isRecentLoginLink)) >= maxLinksPerHour) return
      const tokenId = await passwordLinks.createLink(tx, user.id, 'login')
      await mails.send(tx, email, 'loginLink', { tokenId, ...destination })
    }),
  )

  return {
    request: (email, returnPath) => enqueueLink(db, returnPath ? { email, returnPath } : { email }),

    logIn: (actor, token) =>
      db.transaction(async (tx) => {
        const [usedLink] = await tx
          .update(passwordTokens)
          .set({ usedAt: now() })
          .where(
            and(
              eq(passwordTokens.tokenHash, hashToken(token)),
              eq(passwordTokens.purpose, 'login'),
              isNull(passwordTokens.usedAt),
              gt(passwordTokens.expiresAt, now()),
            ),
          )
          .returning({ userId: passwordTokens.userId })
        if (!usedLink) throw invalidLink()
        const { userId } = usedLink
        const isInOwnSession = actor.user?.id === userId
        if (!(await proveAddress(tx, userId, { at: now(), isInOwnSession }))) throw invalidLink()

        const [account] = await tx
          .select({ passwordHash: users.passwordHash, handedOverAt: users.handedOverAt, user: userColumns })
          .from(users)
          .where(eq(users.id, userId))
        if (!account || isStaff(account.user)) throw invalidLink()
        const { user, ...credentials } = account
        securityLog('login', { ...actor, user }, { step: 'emailed link' })
        return { user, authentication: { userId, ...credentials, provenBy: 'link', refusalIfChanged: invalidLink } }
      }),
  }
}
