import { and, eq, isNotNull } from 'drizzle-orm'
import { declarationDue } from '#contract/selling/legal/consumer-law.ts'
import type { Context } from '#server/context.ts'
import { users } from '#server/database/schema.ts'
import type { Limit } from '#server/security/attempts.ts'
import type { DeclarationRow } from './execution.ts'

type CorrespondenceDeps = Pick<Context, 'db' | 'mails' | 'attempts' | 'supportEmail'>

/** Emails about a declaration: to the person who made it, the contract's owner and the seller. Each is sent once. */
export type Correspondence = {
  /** `isOwner` only if it takes effect right away; `withLink` only if the receipt goes to the address of the purchase. */
  sendReceipt(row: DeclarationRow, options: { isOwner: boolean; withLink: boolean }): Promise<boolean>
  askOwner(row: DeclarationRow, owner: { email: string; name: string }): Promise<boolean>
  tellSeller(row: DeclarationRow, isKnown: boolean): Promise<boolean>
  /** Has a limit of its own, apart from `tellSeller`. Returns false if the email has to wait. */
  tellUnconfirmed(row: DeclarationRow): Promise<boolean>
}

const hour = 3600
const day = 86_400

/** Separate limits, so that mail about others' declarations never uses up an owner's receipts. */
type Limited = 'declaration' | 'declaration-owner'

export function createCorrespondence({ db, mails, attempts, supportEmail }: CorrespondenceDeps): Correspondence {
  /** Limits emails to a mailbox. The declaration counts without them. */
  async function unlessFlooded(what: Limited, to: string, limit: Limit, send: () => Promise<void>) {
    const isAllowed = await attempts.allows(what, to, limit)
    if (isAllowed) await send()
    return isAllowed
  }

  /** Always sends the first receipt; further ones to an unproven address at most three a day. */
  async function receiptsFor(email: string): Promise<Limit> {
    const isProven = and(eq(users.email, email), isNotNull(users.verifiedAt))
    return { requests: 3, seconds: (await db.$count(users, isProven)) > 0 ? hour : day }
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
    sendReceipt: async (row, options) =>
      unlessFlooded('declaration', row.email, await receiptsFor(row.email), () =>
        mails.sendOnce(`receipt of declaration ${row.id}`, row.email, 'declarationReceived', {
          ...contentOf(row),
          ...options,
        }),
      ),

    askOwner: (row, owner) =>
      unlessFlooded('declaration-owner', owner.email, { requests: 3, seconds: hour }, () =>
        mails.sendOnce(`owner of declaration ${row.id}`, owner.email, 'declarationToConfirm', {
          id: row.id,
          kind: row.kind,
          declaredBy: row.name,
          declaredAt: row.declaredAt.toISOString(),
          name: owner.name,
        }),
      ),

    tellSeller: (row, isKnown) =>
      unlessFlooded('declaration', `seller ${supportEmail}`, { requests: 20, seconds: hour }, () =>
        mails.sendOnce(`seller about declaration ${row.id}`, supportEmail, 'declarationWaits', {
          ...contentOf(row),
          isKnown,
        }),
      ),

    tellUnconfirmed: (row) =>
      unlessFlooded('declaration', `seller ${supportEmail} unconfirmed`, { requests: 20, seconds: hour }, () =>
        mails.sendOnce(`seller about unconfirmed ${row.id}`, supportEmail, 'declarationUnconfirmed', {
          ...contentOf(row),
          dueAt: declarationDue(row.declaredAt).toISOString(),
        }),
      ),
  }
}
