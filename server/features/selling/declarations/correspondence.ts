import { and, eq, isNotNull } from 'drizzle-orm'
import { declarationDue } from '#contract/selling/legal/consumer-law.ts'
import type { Context } from '#server/context.ts'
import { users } from '#server/database/schema.ts'
import type { Limit } from '#server/security/attempts.ts'
import type { DeclarationRow } from './execution.ts'

type CorrespondenceDeps = Pick<Context, 'db' | 'mails' | 'attempts' | 'supportEmail'>

export type Correspondence = {
  /** With `withLink`, the receipt has a link to confirm the declaration, so it may only go to the contract's owner. */
  sendReceipt(declaration: DeclarationRow, options: { takesEffectNow: boolean; withLink: boolean }): Promise<boolean>
  askOwner(declaration: DeclarationRow, owner: { email: string; name: string }): Promise<boolean>
  tellSeller(declaration: DeclarationRow, isKnown: boolean): Promise<boolean>
  /** Has its own rate limit, apart from `tellSeller`. Returns false if the email has to wait. */
  tellUnconfirmed(declaration: DeclarationRow): Promise<boolean>
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

  const contentOf = (declaration: DeclarationRow) => ({
    id: declaration.id,
    kind: declaration.kind,
    name: declaration.name,
    contract: declaration.contract,
    email: declaration.email,
    forCause: declaration.forCause,
    reason: declaration.reason,
    endsOn: declaration.endsOn,
    declaredAt: declaration.declaredAt.toISOString(),
  })

  return {
    sendReceipt: async (declaration, { takesEffectNow, withLink }) =>
      sendWithinLimit('declaration', declaration.email, await receiptLimit(declaration.email), () =>
        mails.sendOnce(`receipt of declaration ${declaration.id}`, declaration.email, 'declarationReceived', {
          ...contentOf(declaration),
          isOwner: takesEffectNow,
          withLink,
        }),
      ),

    askOwner: (declaration, owner) =>
      sendWithinLimit('declaration-owner', owner.email, { requests: 3, seconds: hourSeconds }, () =>
        mails.sendOnce(`owner of declaration ${declaration.id}`, owner.email, 'declarationToConfirm', {
          id: declaration.id,
          kind: declaration.kind,
          declaredBy: declaration.name,
          declaredAt: declaration.declaredAt.toISOString(),
          name: owner.name,
        }),
      ),

    tellSeller: (declaration, isKnown) =>
      sendWithinLimit('declaration', `seller ${supportEmail}`, { requests: 20, seconds: hourSeconds }, () =>
        mails.sendOnce(`seller about declaration ${declaration.id}`, supportEmail, 'declarationWaits', {
          ...contentOf(declaration),
          isKnown,
        }),
      ),

    tellUnconfirmed: (declaration) =>
      sendWithinLimit('declaration', `seller ${supportEmail} unconfirmed`, { requests: 20, seconds: hourSeconds }, () =>
        mails.sendOnce(`seller about unconfirmed ${declaration.id}`, supportEmail, 'declarationUnconfirmed', {
          ...contentOf(declaration),
          dueAt: declarationDue(declaration.declaredAt).toISOString(),
        }),
      ),
  }
}
