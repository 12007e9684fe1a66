import { and, eq, isNotNull } from 'drizzle-orm'
import { declarationDue } from '#contract/selling/legal/consumer-law.ts'
import type { Context } from '#server/context.ts'
import { users } from '#server/database/schema.ts'
import type { Limit } from '#server/security/attempts.ts'
import type { DeclarationRow } from './execution.ts'

type CorrespondenceDeps = Pick<Context, 'db' | 'mails' | 'attempts' | 'supportEmail'>

export type Correspondence = {
  /** With `withLink`, the receipt has a link to confirm the declaration, so it may only go to the contract's owner. */
  sendReceipt(row: DeclarationRow, options: { takesEffectNow: boolean; withLink: boolean }): Promise<boolean>
  askOwner(row: DeclarationRow, owner: { email: string; name: string }): Promise<boolean>
  tellSeller(row: DeclarationRow, isKnown: boolean): Promise<boolean>
  /** Has its own rate limit, apart from `tellSeller`. Returns false if the email has to wait. */
  tellUnconfirmed(row: DeclarationRow): Promise<boolean>
}

const hourSeconds = 3600
const daySeconds = 86_400

/** Separate limits, so that questions about strangers' declarations don't use up an owner's own receipts. */
type LimitName = 'declaration' | 'declaration-owner'

export function createCorrespondence({ db, mails, attempts, supportEmail }: CorrespondenceDeps): Correspondence {
  /** Returns true if sent. A declaration counts even if its emails are not sent. */
  async function sendWithinLimit(limitName: LimitName, to: string, limit: Limit, send: () => Promise<void>) {
    const isAllowed = await attempts.countAndCheck(limitName, to, limit)
    if (isAllowed) await send()
    return isAllowed
  }

  /** An address that nobody has confirmed gets fewer emails, because a stranger may have typed it. */
  async function receiptLimit(email: string): Promise<Limit> {
    const hasProvenAccount = and(eq(users.email, email), isNotNull(users.verifiedAt))
    const isProven = (await db.$count(users, hasProvenAccount)) > 0
    return { requests: 3, seconds: isProven ? hourSeconds : daySeconds }
  }

  const contentOf = (row: DeclarationRow) => ({
    id: row.id,
    kind: row.kind,
    name: row.name,
    contract: row.contract,
    email: row.email,
    forCause: row.forCause,
    reason: row.reason,
    endsOn: row.endsOn,
    declaredAt: row.declaredAt.toISOString(),
  })

  return {
    sendReceipt: async (row, { takesEffectNow, withLink }) =>
      sendWithinLimit('declaration', row.email, await receiptLimit(row.email), () =>
        mails.sendOnce(`receipt of declaration ${row.id}`, row.email, 'declarationReceived', {
          ...contentOf(row),
          isOwner: takesEffectNow,
          withLink,
        }),
      ),

    askOwner: (row, owner) =>
      sendWithinLimit('declaration-owner', owner.email, { requests: 3, seconds: hourSeconds }, () =>
        mails.sendOnce(`owner of declaration ${row.id}`, owner.email, 'declarationToConfirm', {
          id: row.id,
          kind: row.kind,
          declaredBy: row.name,
          declaredAt: row.declaredAt.toISOString(),
          name: owner.name,
        }),
      ),

    tellSeller: (row, isKnown) =>
      sendWithinLimit('declaration', `seller ${supportEmail}`, { requests: 20, seconds: hourSeconds }, () =>
        mails.sendOnce(`seller about declaration ${row.id}`, supportEmail, 'declarationWaits', {
          ...contentOf(row),
          isKnown,
        }),
      ),

    tellUnconfirmed: (row) =>
      sendWithinLimit('declaration', `seller ${supportEmail} unconfirmed`, { requests: 20, seconds: hourSeconds }, () =>
        mails.sendOnce(`seller about unconfirmed ${row.id}`, supportEmail, 'declarationUnconfirmed', {
          ...contentOf(row),
          dueAt: declarationDue(row.declaredAt).toISOString(),
        }),
      ),
  }
}
