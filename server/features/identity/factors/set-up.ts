import { eq } from 'drizzle-orm'
import type { RawOutputOf } from '#contract/endpoint.ts'
import type { factors } from '#contract/identity/factors.ts'
import type { Actor } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import type { Transaction } from '#server/database/connect.ts'
import { appCodes as table, users } from '#server/database/schema.ts'
import { conflict } from '#server/errors.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { AppCodes } from './app-codes.ts'
import { recovery } from './codes.ts'
import type { Notices } from './notices.ts'
import type { Passkeys } from './passkeys.ts'
import type { Policy } from './policy.ts'

type SetUpContext = Pick<Context, 'db'>

export type SetUp = {
  show(actor: Actor): Promise<RawOutputOf<typeof factors.show>>
  beginAppCodes: AppCodes['begin']
  confirmAppCodes(actor: Actor, setUp: { sealed: string; code: string }): Promise<{ recoveryCodes: string[] | null }>
  removeAppCodes(actor: Actor): Promise<void>
  renewRecoveryCodes(actor: Actor): Promise<{ recoveryCodes: string[] }>
  beginPasskey: Passkeys['begin']
  addPasskey(actor: Actor, name: string, response: Record<string, unknown>): Promise<{ recoveryCodes: string[] | null }>
  renamePasskey(actor: Actor, id: string, name: string): Promise<void>
  removePasskey(actor: Actor, id: string): Promise<void>
}

type SetUpDeps = {
  sessions: Pick<Sessions, 'prove' | 'provenBy'>
  policy: Policy
  appCodes: AppCodes
  passkeys: Passkeys
  notices: Notices
}

const app = 'authenticator app'

export function createSetUp({ db }: SetUpContext, { sessions, policy, appCodes, passkeys, notices }: SetUpDeps): SetUp {
  /** Locks the user: two concurrent removals could each rely on the factor the other removes. */
  const change = <Result>({ user }: Actor, make: (tx: Transaction) => Promise<Result>) =>
    db.transaction(async (tx) => {
      await tx.select({ id: users.id }).from(users).where(eq(users.id, user.id)).for('update')
      return make(tx)
    })

  /** Creates ten recovery codes with the first factor, or when all are used up. Otherwise null. */
  async function recoveryCodesFor(tx: Transaction, userId: string) {
    return (await recovery.countUnused(tx, userId)) > 0 ? null : recovery.renew(tx, userId)
  }

  /** Throws if a required last factor was removed; otherwise deletes the recovery codes with the last factor. */
  async function finishFactorRemoval(tx: Transaction, { user }: Actor) {
    const { hasPasskey, hasAppCodes } = await policy.holdingsOf(user.id, tx)
    if (hasPasskey || hasAppCodes) return
    if (policy.isRequiredOf(user))
      throw conflict('second-step-missing', 'This shop asks its admins for a second step. Set up another one first.')
    await recovery.forget(tx, user.id)
  }

  return {
    async show({ user, sessionId }) {
      const [kept] = await db.select({ since: table.createdAt }).from(table).where(eq(table.userId, user.id))
      return {
        passkeys: await passkeys.list(user.id),
        appCodesSince: kept?.since ?? null,
        recoveryCodesLeft: await recovery.countUnused(db, user.id),
        isRequired: policy.isRequiredOf(user),
        isRecovering: (await sessions.provenBy(sessionId)) === 'recovery code',
      }
    },

    beginAppCodes: appCodes.begin,

    confirmAppCodes: (actor, confirmed) =>
      change(actor, async (tx) => {
        await appCodes.confirm(tx, actor, confirmed)
        const recoveryCodes = await recoveryCodesFor(tx, actor.user.id)
        await notices.recordFactorChange(tx, actor, 'added', app)
        await sessions.prove(tx, actor, 'password and code')
        return { recoveryCodes }
      }),

    removeAppCodes: (actor) =>
      change(actor, async (tx) => {
        await appCodes.remove(tx, actor)
        await finishFactorRemoval(tx, actor)
        await notices.recordFactorChange(tx, actor, 'removed', app)
      }),

    renewRecoveryCodes: (actor) =>
      change(actor, async (tx) => {
        const { hasPasskey, hasAppCodes } = await policy.holdingsOf(actor.user.id, tx)
        if (!hasPasskey && !hasAppCodes)
          throw conflict('second-step-missing', 'Set up a passkey or an authenticator app first.')
        const recoveryCodes = await recovery.renew(tx, actor.user.id)
        await notices.recordFactorChange(tx, actor, 'added', 'set of recovery codes')
        return { recoveryCodes }
      }),

    beginPasskey: passkeys.begin,

    async addPasskey(actor, name, response) {
      const passkey = await passkeys.check(actor, response)
      return change(actor, async (tx) => {
        await passkeys.keep(tx, actor, name, passkey)
        // Accounts without a second step need no recovery codes, because an emailed link recovers them.
        const needsRecoveryCodes =
          policy.isRequiredOf(actor.user) || (await policy.holdingsOf(actor.user.id, tx)).hasAppCodes
        const recoveryCodes = needsRecoveryCodes ? await recoveryCodesFor(tx, actor.user.id) : null
        await notices.recordFactorChange(tx, actor, 'added', 'passkey')
        await sessions.prove(tx, actor, 'passkey')
        return { recoveryCodes }
      })
    },

    renamePasskey: passkeys.rename,

    removePasskey: (actor, id) =>
      change(actor, async (tx) => {
        await passkeys.remove(tx, actor, id)
        await finishFactorRemoval(tx, actor)
        await notices.recordFactorChange(tx, actor, 'removed', 'passkey')
      }),
  }
}
