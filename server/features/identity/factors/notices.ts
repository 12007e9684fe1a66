import { isStaff } from '#contract/permissions.ts'
import type { Actor } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import type { Transaction } from '#server/database/connect.ts'
import { personOf } from '#server/database/people.ts'
import type { MailData, MailKind } from '#server/mails/mails.ts'
import { endSessions } from '../sessions/sessions.ts'

type NoticeDeps = Pick<Context, 'mails' | 'attempts' | 'audit'>

export type Notices = {
  mail<Kind extends MailKind>(tx: Transaction, userId: string, kind: Kind, data: MailData<Kind>): Promise<void>
  /** Emails the person, logs out their other devices and audits the change if they are staff. */
  recordFactorChange(tx: Transaction, actor: Actor, change: 'added' | 'removed', what: string): Promise<void>
}

export function createNotices({ mails, attempts, audit }: NoticeDeps): Notices {
  /** Limits emails to unproven addresses, because anyone can sign up with any address. */
  async function mail<Kind extends MailKind>(tx: Transaction, userId: string, kind: Kind, data: MailData<Kind>) {
    const user = await personOf(tx, userId)
    if (user.verifiedAt || (await attempts.mayMail(tx, 'factors', userId))) await mails.send(tx, user.email, kind, data)
  }

  return {
    mail,

    async recordFactorChange(tx, actor, change, what) {
      await endSessions(tx, actor.user.id, { except: actor.sessionId })
      await mail(tx, actor.user.id, change === 'added' ? 'factorAdded' : 'factorRemoved', { what })
      if (isStaff(actor.user))
        await audit.record(tx, actor, { action: `factor.${change}`, aboutId: actor.user.id, detail: { what } })
    },
  }
}
