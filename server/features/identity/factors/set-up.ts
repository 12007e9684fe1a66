import { eq } from 'drizzle-orm'
import type { RawOutputOf } from '#contract/endpoint.ts'
import type { factors } from '#contract/identity/factors.ts'
import type { Actor } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import type { Transaction } from '#server/database/connect.ts'
import { appCodes as appCodesTable, sessions as sessionRows, users } from '#server/database/schema.ts'
import { conflict, Refusal } from '#server/errors.ts'
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
  sessions: Pick<Sessions, 'recordProof' | 'provenBy'>
  policy: Policy
  appCodes: AppCodes
  passkeys: Passkeys
  notices: Notices
}

const authenticatorApp = 'authenticator app'

export function createSetUp({ db }: SetUpContext, { sessions, policy, appCodes, passkeys, notices }: SetUpDeps): SetUp {
  /** Locks the user, because two concurrent removals could each rely on the factor that the other removes. */
  const withUserLocked = <Result>({ user, sessionId }: Actor, change: (tx: Transaction) => Promise<Result>) =>
    db.transaction(async (tx) => {
      await tx.select({ id: users.id }).from(users).where(eq(users.id, user.id)).for('update')
      // The mailbox's owner may have reset the account meanwhile, which ends its sessions.
      const isLoggedIn = (await tx.$count(sessionRows, eq(sessionRows.id, sessionId ?? ''))) > 0
      if (!isLoggedIn) throw new Refusal(401, 'login-required', 'Please log in first')
      return change(tx)
    })

  /** Returns ten new recovery codes if none is left, as with the first factor. Otherwise null. */
  async function renewUsedUpRecoveryCodes(tx: Transaction, userId: string) {
    return (await recovery.countUnused(tx, userId)) > 0 ? null : recovery.renew(tx, userId)
  }

  /** Deletes the recovery codes after the last factor was removed. Throws if this person must have a factor. */
  async function finishFactorRemoval(tx: Transaction, { user }: Actor) {
    const { hasPasskey, hasAppCodes } = await policy.credentialsOf(user.id, tx)
    if (hasPasskey || hasAppCodes) return
    if (policy.isSecondStepRequired(user))
      throw conflict('second-step-missing', 'This shop asks its admins for a second step. Set up another one first.')
    await recovery.forget(tx, user.id)
  }

  return {
    async show({ user, sessionId }) {
      const [stored] = await db
        .select({ since: appCodesTable.createdAt })
        .from(appCodesTable)
        .where(eq(appCodesTable.userId, user.id))
      return {
        passkeys: await passkeys.list(user.id),
        appCodesSince: stored?.since ?? null,
        recoveryCodesLeft: await recovery.countUnused(db, user.id),
        isRequired: policy.isSecondStepRequired(user),
        isRecovering: (await sessions.provenBy(sessionId)) === 'recovery code',
      }
    },

    beginAppCodes: appCodes.begin,

    confirmAppCodes: (actor, setUp) =>
      withUserLocked(actor, async (tx) => {
        await appCodes.confirm(tx, actor, setUp)
        const recoveryCodes = await renewUsedUpRecoveryCodes(tx, actor.user.id)
        await notices.recordFactorChange(tx, actor, 'added', authenticatorApp)
        await sessions.recordProof(tx, actor, 'password and code')
        return { recoveryCodes }
      }),

    removeAppCodes: (actor) =>
      withUserLocked(actor, async (tx) => {
        await appCodes.remove(tx, actor)
        await finishFactorRemoval(tx, actor)
        await notices.recordFactorChange(tx, actor, 'removed', authenticatorApp)
      }),

    renewRecoveryCodes: (actor) =>
      withUserLocked(actor, async (tx) => {
        const { hasPasskey, hasAppCodes } = await policy.credentialsOf(actor.user.id, tx)
        if (!hasPasskey && !hasAppCodes)
          throw conflict('second-step-missing', 'Set up a passkey or an authenticator app first.')
        const recoveryCodes = await recovery.renew(tx, actor.user.id)
        await notices.recordFactorChange(tx, actor, 'added', 'set of recovery codes')
        return { recoveryCodes }
      }),

    beginPasskey: passkeys.begin,

    async addPasskey(actor, name, response) {
      const passkey = await passkeys.verify(actor, response)
      return withUserLocked(actor, async (tx) => {
        await passkeys.store(tx, actor, name, passkey)
        const { hasAppCodes } = await policy.credentialsOf(actor.user.id, tx)
        // Accounts without a second step need no recovery codes, because an emailed link recovers them.
        const needsRecoveryCodes = hasAppCodes || policy.isSecondStepRequired(actor.user)
        const recoveryCodes = needsRecoveryCodes ? await renewUsedUpRecoveryCodes(tx, actor.user.id) : null
        await notices.recordFactorChange(tx, actor, 'added', 'passkey')
        await sessions.recordProof(tx, actor, 'passkey')
        return { recoveryCodes }
      })
    },

    renamePasskey: passkeys.rename,

    removePasskey: (actor, id) =>
      withUserLocked(actor, async (tx) => {
        await passkeys.remove(tx, actor, id)
        await finishFactorRemoval(tx, actor)
        await notices.recordFactorChange(tx, actor, 'removed', 'passkey')
      }),
  }
}
