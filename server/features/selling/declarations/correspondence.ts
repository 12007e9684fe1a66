import type { DeclarationRow, Dependencies } from './dependencies.ts'

const hour = 3600

/** What we write about a declaration: to whoever made it, to the contract's owner, to the seller. Each once. */
export function createCorrespondence({
  mails,
  attempts,
  supportEmail,
}: Pick<Dependencies, 'mails' | 'attempts' | 'supportEmail'>) {
  /** Nobody's mailbox can be flooded; the declaration is stored and counts all the same. */
  async function unlessFlooded(to: string, requests: number, send: () => Promise<void>) {
    if (await attempts.allows('declaration', to, { requests, seconds: hour })) await send()
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
    /** The link only goes to the address of the purchase. */
    sendReceipt: (row: DeclarationRow, { withLink }: { withLink: boolean }) =>
      unlessFlooded(row.email, 3, () =>
        mails.sendOnce(`receipt of declaration ${row.id}`, row.email, 'declarationReceived', {
          ...contentOf(row),
          withLink,
        }),
      ),

    askOwner: (row: DeclarationRow, owner: { email: string; name: string }) =>
      unlessFlooded(owner.email, 3, () =>
        mails.sendOnce(`owner of declaration ${row.id}`, owner.email, 'declarationToConfirm', {
          id: row.id,
          kind: row.kind,
          declaredBy: row.name,
          declaredAt: row.declaredAt.toISOString(),
          name: owner.name,
        }),
      ),

    tellSeller: (row: DeclarationRow) =>
      unlessFlooded(`seller ${supportEmail}`, 20, () =>
        mails.sendOnce(
          `seller about declaration ${row.id}`,
          supportEmail,
          'declarationWaits',
          contentOf(row),
        ),
      ),
  }
}
