import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dayMs } from '#contract/dates.ts'
import { isLive, type PurchaseStatus, purchaseStatuses } from '#contract/statuses.ts'
import { type Entitlement, entitlementOf, type PurchaseFacts } from './entitlement.ts'

const dayOf = (days: number) => new Date(Date.UTC(2026, 10, 1) + days * dayMs)
const paidDays = 30
const givenDays = 50
const slackDays = 3
const graceDays = 14

const freezingAccess = { freezesAccessDuringDispute: true }
const keepingAccess = { freezesAccessDuringDispute: false }

const document = readFileSync(new URL('../../../../docs/entitlements.md', import.meta.url), 'utf8')
const [_headings, _dashes, ...tableLines] = document.split('\n').filter((line) => line.startsWith('|'))
const rows = tableLines.map((line) => {
  const [, purchase = '', dispute = '', until = '', reason = ''] = line.split('|').map((cell) => cell.trim())
  return { purchase, dispute, until, reason }
})

function factsOf(purchase: string, isDisputed: boolean): PurchaseFacts {
  const [status = '', note] = purchase.split(', ')
  const endsWithPaidTime = status === 'pending_cancel' || note?.endsWith('until a day')
  const endsAt = endsWithPaidTime ? dayOf(paidDays) : null
  return {
    status: status as PurchaseStatus,
    paidUntil: note?.startsWith('booked by hand') ? null : dayOf(paidDays),
    givenUntil: note === 'with time given' ? dayOf(givenDays) : null,
    endsAt: note === 'with a later end' ? dayOf(90) : endsAt,
    pastDueSince: status === 'past_due' ? dayOf(0) : null,
    isDisputed,
  }
}

const dates: Record<string, Date | null> = {
  'paid time + slack': dayOf(paidDays + slackDays),
  'given time + slack': dayOf(givenDays + slackDays),
  'no end': null,
  'its end': dayOf(paidDays),
  'grace end': dayOf(graceDays),
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
    const storedUntil = dayOf(5)
    const stored: Entitlement = { until: storedUntil, reason: 'renews' }
    const expected = until === 'nothing' ? null : { until: isOpen ? storedUntil : dates[until], reason }
    expect(entitlementOf([facts], freezingAccess, stored)).toEqual(expected)
    // A buyer without access gets none from a disputed purchase.
    expect(entitlementOf([facts], freezingAccess, null)).toEqual(isOpen ? null : expected)
    // Without freezing, a dispute changes nothing.
    const undisputed = { ...facts, isDisputed: false }
    expect(entitlementOf([facts], keepingAccess, stored)).toEqual(entitlementOf([undisputed], freezingAccess, null))
  })
})

const anyDate = fc.option(fc.integer({ min: -60, max: 400 }).map(dayOf))
const anyFacts: fc.Arbitrary<PurchaseFacts> = fc.record({
  status: fc.constantFrom(...purchaseStatuses),
  paidUntil: anyDate,
  givenUntil: anyDate,
  endsAt: anyDate,
  pastDueSince: anyDate,
  isDisputed: fc.boolean(),
})
const anyEntitlement: fc.Arbitrary<Entitlement | null> = fc.option(
  fc.record({ until: anyDate, reason: fc.constant('renews' as const) }),
)
const endOf = (entitlement: Entitlement | null) =>
  entitlement ? (entitlement.until?.getTime() ?? Infinity) : -Infinity

test('another purchase never shortens the entitlement, and their order does not matter', () => {
  fc.assert(
    fc.property(fc.array(anyFacts, { maxLength: 5 }), anyFacts, anyEntitlement, (others, purchase, stored) => {
      const endOfAll = (purchases: PurchaseFacts[]) => endOf(entitlementOf(purchases, freezingAccess, stored))
      expect(endOfAll([...others, purchase])).toBeGreaterThanOrEqual(endOfAll(others))
      expect(endOfAll([purchase, ...others])).toBe(endOfAll([...others, purchase]))
    }),
  )
})

test('a dispute never extends the entitlement', () => {
  fc.assert(
    fc.property(anyFacts, anyEntitlement, (purchase, stored) => {
      const disputed = entitlementOf([{ ...purchase, isDisputed: true }], freezingAccess, stored)
      const undisputed = entitlementOf([{ ...purchase, isDisputed: false }], freezingAccess, stored)
      expect(endOf(disputed)).toBeLessThanOrEqual(endOf(stored))
      expect(endOf(disputed)).toBeLessThanOrEqual(endOf(undisputed))
    }),
  )
})

test('an undisputed purchase entitles exactly while its status is live', () => {
  fc.assert(
    fc.property(anyFacts, (purchase) => {
      const entitlement = entitlementOf([{ ...purchase, isDisputed: false }], freezingAccess, null)
      expect(entitlement !== null).toBe(isLive(purchase.status))
    }),
  )
})
