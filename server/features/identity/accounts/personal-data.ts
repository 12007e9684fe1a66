import type { Actor } from '#server/actor.ts'
import type { Context, PersonalDataModule } from '#server/context.ts'
import type { Transaction } from '#server/database/connect.ts'
import { findUser, lockUser } from '#server/database/people.ts'
import { erasePerson, readPersonalData } from '#server/database/personal-data.ts'
import { conflict } from '#server/errors.ts'
import { createPasswordCheck } from '#server/security/own-password.ts'
import { lockAdmins } from './roles.ts'

type PersonalDataContext = Pick<Context, 'db' | 'audit' | 'mails'>

export type PersonalData = {
  collect(userId: string): Promise<Record<string, unknown>>
  /** For the seller to hand over. Audited. */
  forCustomer(actor: Actor, userId: string): Promise<Record<string, unknown>>
}

type DeletionContext = Pick<Context, 'attempts' | 'audit' | 'db' | 'mails' | 'now' | 'passwordHasher' | 'securityLog'>

/** Purchases stay for the books, without anything that identifies the person. */
export type Deletion = {
  byAdmin(actor: Actor, userId: string): Promise<void>
  byOneself(actor: Actor, password: string): Promise<void>
}

export type ExportDeps = {
  modules: PersonalDataModule[]
  contact: { messagesFrom(email: string): Promise<object[]> }
  newsletter: { subscriptionOf(email: string): Promise<object | null> }
}

export function createPersonalData(
  { db, audit, mails }: PersonalDataContext,
  { modules, contact, newsletter }: ExportDeps,
): PersonalData {
  /** Leaves out secrets, and data linked only by an unproven email address. */
  async function collect(userId: string) {
    const data = await readPersonalData(db, userId)
    for (const module of modules) Object.assign(data, await module.dataOf?.(userId))
    return data
  }

  return {
    collect,

    async forCustomer(actor, userId) {
      const { email } = await findUser(db, userId)
      await audit.record(db, actor, { action: 'user.export', aboutId: userId })
      return {
        ...(await collect(userId)),
        // The address may be unproven, so the seller checks this data before handing it over.
        sameAddress: {
          emails: await mails.sent.sentBeforeProof(userId),
          contactMessages: await contact.messagesFrom(email),
          newsletter: await newsletter.subscriptionOf(email),
        },
      }
    },
  }
}

export type DeletionDeps = {
  /** Modules whose part of the deletion the schema can't express. */
  modules: PersonalDataModule[]
  endSubscriptionsOf(userId: string): Promise<void>
}

export function createDeletion(context: DeletionContext, { modules, endSubscriptionsOf }: DeletionDeps): Deletion {
  const { db, now, attempts, audit, mails } = context
  const checkPassword = createPasswordCheck(context)

  async function remove(actor: Actor, userId: string, { byAdmin }: { byAdmin: boolean }) {
    await db.transaction((tx) => assertDeletable(tx, userId))
    // Ends subscriptions at Stripe first, so that a deleted customer is not charged again.
    await endSubscriptionsOf(userId)
    await db.transaction(async (tx) => {
      const { email, verifiedAt } = await assertDeletable(tx, userId)
      await audit.record(tx, actor, { action: 'user.delete', aboutId: userId })
      for (const module of modules) await module.forget?.(tx, userId)
      await erasePerson(tx, userId, now())
      const mayMail = await attempts.mayMail(tx, 'farewell', email)
      // An unproven address may be another person's, so emails to it are kept.
      await mails.sendFarewell(tx, email, { sendsEmail: mayMail, deletesSentMails: byAdmin || verifiedAt !== null })
    })
  }

  return {
    async byAdmin(actor, userId) {
      if (actor.user.id === userId) throw conflict('own-account', 'You cannot delete yourself')
      await remove(actor, userId, { byAdmin: true })
    },

    async byOneself(actor, password) {
      await checkPassword(actor, password, 'password')
      await remove(actor, actor.user.id, { byAdmin: false })
    },
  }
}

async function assertDeletable(tx: Transaction, userId: string) {
  const admins = await lockAdmins(tx)
  const user = await lockUser(tx, userId)
  if (admins.isLast(userId)) throw conflict('last-admin', 'The last admin cannot be deleted')
  return user
}
