import { and, eq, gt, gte, isNull, lt } from 'drizzle-orm'
import { dayMs } from '#contract/dates.ts'
import { isStaff } from '#contract/permissions.ts'
import type { User } from '#server/actor.ts'
import { runEach } from '#server/concurrency/run-each.ts'
import type { Context } from '#server/context.ts'
import type { Transaction } from '#server/database/connect.ts'
import { personOf } from '#server/database/people.ts'
import { appCodes, factorResets, passkeys } from '#server/database/schema.ts'
import { Refusal } from '#server/errors.ts'
import { endSessions } from '../sessions/sessions.ts'
import { recovery } from './codes.ts'
import type { Notices } from './notices.ts'

type LostDeviceContext = Pick<Context, 'db' | 'now' | 'isLinkToken'>

/** Reset of lost factors by email. The owner has three days to stop it. */
export type LostDevice = {
  request(user: User): Promise<void>
  /** Emails the links of resets whose wait is over, once each. */
  sendDue(): Promise<void>
  stop(link: Link): Promise<void>
  /** Stops a person's reset, because they have logged in with a factor. */
  stopFor(userId: string): Promise<void>
  finish(link: Link): Promise<void>
  forgetOld(): Promise<void>
}

const hourMs = 3_600_000
const waitMs = 72 * hourMs
const linkLifetimeMs = 7 * dayMs

type Link = { id: string; token: string }

const invalidLink = () => new Refusal(400, 'link-invalid', 'This link no longer works. Log in and start again.')
const notForStaff = () =>
  new Refusal(
    403,
    'staff-account',
    'Staff can’t do this by email. Someone with access to the server runs: npm run admin -- reset-two-factor, followed by your email address.',
  )
const isOpen = and(isNull(factorResets.usedAt), isNull(factorResets.stoppedAt))

export async function removeFactors(tx: Transaction, userId: string) {
  await tx.delete(passkeys).where(eq(passkeys.userId, userId))
  await tx.delete(appCodes).where(eq(appCodes.userId, userId))
  await recovery.forget(tx, userId)
  await tx.delete(factorResets).where(eq(factorResets.userId, userId))
}

/** Removes recovery codes, resets and the factors added after `since`, because a thief may have them. */
export async function removeFactorsSince(tx: Transaction, userId: string, since: Date) {
  await recovery.forget(tx, userId)
  await tx.delete(factorResets).where(eq(factorResets.userId, userId))
  await tx.delete(passkeys).where(and(eq(passkeys.userId, userId), gte(passkeys.createdAt, since)))
  await tx.delete(appCodes).where(and(eq(appCodes.userId, userId), gte(appCodes.createdAt, since)))
}

export function createLostDevice({ db, now, isLinkToken }: LostDeviceContext, notices: Notices): LostDevice {
  const ago = (milliseconds: number) => new Date(now().getTime() - milliseconds)

  return {
    async request(user) {
      if (isStaff(user)) throw notForStaff()
      await db.transaction(async (tx) => {
        const isTheirs = eq(factorResets.userId, user.id)
        const isPending = and(isTheirs, isOpen, gt(factorResets.requestedAt, ago(waitMs + linkLifetimeMs)))
        if ((await tx.$count(factorResets, isPending)) > 0)
          throw new Refusal(
            409,
            'already-asked',
            'You’ve already asked. The link comes by email, 72 hours after you did.',
          )
        await tx.delete(factorResets).where(isTheirs)
        const [reset] = await tx
          .insert(factorResets)
          .values({ userId: user.id, requestedAt: now() })
          .returning({ id: factorResets.id })
        await notices.mail(tx, user.id, 'deviceLost', { id: reset?.id ?? '' })
      })
    },

    async sendDue() {
      const dueResets = await db
        .select({ id: factorResets.id, userId: factorResets.userId })
        .from(factorResets)
        .where(and(isOpen, isNull(factorResets.sentAt), lt(factorResets.requestedAt, ago(waitMs))))
      await runEach('resets', dueResets, ({ id, userId }) =>
        db.transaction(async (tx) => {
          const sent = await tx
            .update(factorResets)
            .set({ sentAt: now() })
            .where(and(eq(factorResets.id, id), isOpen, isNull(factorResets.sentAt)))
          if (sent.rowCount === 1) await notices.mail(tx, userId, 'deviceLostLink', { id })
        }),
      )
    },

    async stop({ id, token }) {
      if (!isLinkToken('stop-reset', id, token)) throw invalidLink()
      const stopped = await db
        .update(factorResets)
        .set({ stoppedAt: now() })
        .where(and(eq(factorResets.id, id), isNull(factorResets.usedAt)))
      if (stopped.rowCount === 0) throw invalidLink()
    },

    async stopFor(userId) {
      await db
        .update(factorResets)
        .set({ stoppedAt: now() })
        .where(and(eq(factorResets.userId, userId), isOpen))
    },

    async finish({ id, token }) {
      if (!isLinkToken('finish-reset', id, token)) throw invalidLink()
      await db.transaction(async (tx) => {
        const [finished] = await tx
          .update(factorResets)
          .set({ usedAt: now() })
          .where(
            and(
              eq(factorResets.id, id),
              isOpen,
              lt(factorResets.requestedAt, ago(waitMs)),
              gt(factorResets.sentAt, ago(linkLifetimeMs)),
            ),
          )
          .returning({ userId: factorResets.userId })
        if (!finished) throw invalidLink()
        // The person may have become staff since the request.
        if (isStaff(await personOf(tx, finished.userId))) throw notForStaff()
        await removeFactors(tx, finished.userId)
        await endSessions(tx, finished.userId)
        await notices.mail(tx, finished.userId, 'factorRemoved', { what: 'second step' })
      })
    },

    async forgetOld() {
      await db.delete(factorResets).where(lt(factorResets.requestedAt, ago(waitMs + linkLifetimeMs)))
    },
  }
}
