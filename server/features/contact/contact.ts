import { lt } from 'drizzle-orm'
import { keptSince, retention } from '#contract/retention.ts'
import type { Database } from '../../database/connect.ts'
import { contactMessages } from '../../database/schema.ts'
import type { Mails } from '../mails/mails.ts'

type Message = { firstName: string; lastName: string; email: string; message: string }
type Dependencies = { db: Database; now: () => Date; mails: Mails; supportEmail: string }

export type Contact = ReturnType<typeof createContact>

export function createContact({ db, now, mails, supportEmail }: Dependencies) {
  return {
    async send(message: Message) {
      await db.transaction(async (tx) => {
        await tx.insert(contactMessages).values({ ...message, createdAt: now() })
        await mails.send(tx, supportEmail, 'contactMessage', message)
      })
    },

    async forgetOld() {
      await db
        .delete(contactMessages)
        .where(lt(contactMessages.createdAt, keptSince(now(), retention.contactMessages)))
    },
  }
}
