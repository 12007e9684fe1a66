import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isLive, type PurchaseStatus, purchaseStatuses } from '#contract/statuses.ts'
import { type Entitlement, entitlementOf, type PurchaseFacts } from './entitlement.ts'

const day = 86_400_000
const at = (days: number) => new Date(Date.UTC(2026, 10, 1) + days * day)
const freezes = { freezesAccessDuringDispute: true }
const keeps = { freezesAccessDuringDispute: false }

const rows = readFileSync(new URL('../../../../docs/entitlements.md', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .slice(2)
  .map((line) => {
    const [purchase = '', dispute = '', until = '', reason = ''] = line
      .split('|')
      .slice(1)
      .map((cell) => cell.trim())
    return { purchase, dispute, until, reason }
  })

function factsOf(purchase: string, isDisputed: boolean): PurchaseFacts {
  const [status = '', note] = purchase.split(', ')
  const ends = status === 'pending_cancel' || note?.endsWith('until a day') ? at(30) : null
  return {
    status: status as PurchaseStatus,
    paidUntil: note?.startsWith('booked by hand') ? null : at(30),
    givenUntil: note === 'with time given' ? at(50) : null,
    endsAt: note === 'with a later end' ? at(90) : ends,
    pastDueSince: status === 'past_due' ? at(0) : null,
    isDisputed,
  }
}

const dates: Record<string, Date | null> = {
  'paid time + slack': at(33),
  'given time + slack': at(53),
  'no end': null,
  'its end': at(30),
  'grace end': at(14),
}

describe('the table of docs/entitlements.md', () => {
  test('has every status, with and without a dispute', () => {
    for (const status of purchaseStatuses)
      for (const dispute of ['none', 'open'])
        expect(rows.filter((row) => row.purchase === status && ['any', dispute].includes(row.dispute))).toHaveLength(1)
  })

  test.for(rows)('$purchase, dispute $dispute: $until', ({ purchase, dispute, until, reason }) => {
    const isOpen = dispute === 'open'
    const facts = factsOf(purchase, isOpen)
    const held: Entitlement = { until: at(5), reason: 'renews' }
    const regular = until === 'nothing' ? null : { until: isOpen ? at(5) : dates[until], reason }
    expect(entitlementOf([facts], freezes, held)).toEqual(regular)
    // A buyer without access gets none from a disputed purchase.
    expect(entitlementOf([facts], freezes, null)).toEqual(isOpen ? null : regular)
    // "keep" changes nothing until the dispute is decided.
    expect(entitlementOf([facts], keeps, held)).toEqual(entitlementOf([{ ...facts, isDisputed: false }], freezes, null))
  })
})

const date = fc.option(fc.integer({ min: -60, max: 400 }).map(at))
const facts: fc.Arbitrary<PurchaseFacts> = fc.record({
  status: fc.constantFrom(...purchaseStatuses),
  paidUntil: date,
  givenUntil: date,
  endsAt: date,
  pastDueSince: date,
  isDisputed: fc.boolean(),
})
const entitlement: fc.Arbitrary<Entitlement | null> = fc.option(
  fc.record({ until: date, reason: fc.constant('renews' as const) }),
)
const lasts = (given: Entitlement | null) => (given ? (given.until?.getTime() ?? Infinity) : -Infinity)

test('another purchase never shortens the entitlement, and their order does not matter', () => {
  fc.assert(
    fc.property(fc.array(facts, { maxLength: 5 }), facts, entitlement, (some, more, held) => {
      const before = entitlementOf(some, freezes, held)
      const after = entitlementOf([...some, more], freezes, held)
      expect(lasts(after)).toBeGreaterThanOrEqual(lasts(before))
      expect(lasts(entitlementOf([more, ...some], freezes, held))).toBe(lasts(after))
    }),
  )
})

test('a dispute never extends the entitlement', () => {
  fc.assert(
    fc.property(facts, entitlement, (purchase, held) => {
      const disputed = entitlementOf([{ ...purchase, isDisputed: true }], freezes, held)
      expect(lasts(disputed)).toBeLessThanOrEqual(Math.max(lasts(held), -Infinity))
      expect(lasts(disputed)).toBeLessThanOrEqual(
        lasts(entitlementOf([{ ...purchase, isDisputed: false }], freezes, held)),
      )
    }),
  )
})

test('the shop’s own pages open exactly for the statuses that entitle', () => {
  fc.assert(
    fc.property(facts, (purchase) => {
      const given = entitlementOf([{ ...purchase, isDisputed: false }], freezes, null)
      expect(given !== null).toBe(isLive(purchase.status))
    }),
  )
})
