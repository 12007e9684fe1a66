import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type AccessEvent, type AccessState, accessEvents, accessStates } from '#contract/statuses.ts'
import { type AccessRow, type Facts, nextStep, targetStateFor } from './rules.ts'

const [, table = ''] = readFileSync(new URL('../../../../docs/access.md', import.meta.url), 'utf8').split(
  '## Transitions',
)
const rows = (table.split('\n## ')[0] ?? '')
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .slice(2)
  .flatMap((line) => {
    const [event = '', from = '', when = '', byHand = '', connector = ''] = line
      .split('|')
      .slice(1)
      .map((cell) => cell.trim())
    return from
      .split(', ')
      .map((state) => ({ event: event as AccessEvent, state: state as AccessState, when, byHand, connector }))
  })

const unlockedAccounts: [words: RegExp, unlockedAccount: Facts['unlockedAccount']][] = [
  [/another name/, 'other'],
  [/the same name|back to the unlocked name|a name is still unlocked/, 'same'],
]

function factsOf(state: AccessState, when: string, hasConnector: boolean): Facts {
  const unlockedAccount = unlockedAccounts.find(([words]) => words.test(when))?.[1]
  return {
    state,
    hasConnector,
    isPaid: !when.startsWith('not paid'),
    isNamed: true,
    needsDecision: when.includes('to decide'),
    unlockedAccount: unlockedAccount ?? (state === 'unlocked' ? 'same' : 'none'),
  }
}

const stepOf = (cell: string) => {
  const [to = '', toDecide] = cell.split(', ')
  return to === '–' ? undefined : { to, needsDecision: toDecide !== undefined }
}

describe('the table of docs/access.md', () => {
  test('has every event that moves a state', () => {
    const eventsWithoutStep = new Set<AccessEvent>(['named', 'renamed', 'undone'])
    expect(new Set(rows.map(({ event }) => event))).toEqual(
      new Set(accessEvents.filter((event) => !eventsWithoutStep.has(event))),
    )
  })

  test.for(rows)('$event from $state, $when', ({ event, state, when, byHand, connector }) => {
    for (const [cell, isConnected] of [
      [byHand, false],
      [connector, true],
    ] as const) {
      const step = nextStep(event, factsOf(state, when, isConnected))
      expect(step && { needsDecision: false, ...step }).toEqual(stepOf(cell))
    }
  })
})

const facts: fc.Arbitrary<Facts> = fc.record({
  state: fc.constantFrom(...accessStates),
  isPaid: fc.boolean(),
  isNamed: fc.boolean(),
  needsDecision: fc.boolean(),
  unlockedAccount: fc.constantFrom('none', 'same', 'other'),
  hasConnector: fc.boolean(),
})

const isWithheld = ({ state, needsDecision }: Facts) =>
  state === 'declined' || state === 'withheld' || (state === 'asked' && needsDecision)

test('only the seller can unlock a buyer whom the seller has declined or withheld', () => {
  fc.assert(
    fc.property(
      facts.filter((each) => each.isPaid && isWithheld(each)),
      fc.constantFrom(...accessEvents),
      (before, event) => {
        const step = nextStep(event, before)
        if (event === 'granted' || event === 'restored' || event === 'ended' || !step) return
        expect(isWithheld({ ...before, state: step.to, needsDecision: step.needsDecision ?? false })).toBe(true)
      },
    ),
  )
})

test('the connector unlocks only entitled buyers with a usable username', () => {
  fc.assert(
    fc.property(facts, fc.constantFrom(...accessEvents), (before, event) => {
      if (nextStep(event, before)?.to !== 'unlocking') return
      expect(before).toMatchObject({ isPaid: true, isNamed: true, hasConnector: true })
    }),
  )
})

const now = new Date('2026-11-16T12:00:00Z')
const soon = new Date(now.getTime() + 30_000)
const row = (changes: Partial<AccessRow>) =>
  ({
    reason: 'renews',
    until: null,
    nameKey: 'new',
    unlockedName: null,
    needsDecision: false,
    undoUntil: null,
    ...changes,
  }) as AccessRow

test.for([
  ['while unlocked, the username is wanted', { state: 'unlocked' }, 'new', true],
  ['while unlocking, the username is wanted', { state: 'unlocking' }, 'new', true],
  ['during the undo window, the username is not wanted', { state: 'unlocking', undoUntil: soon }, 'new', false],
  ['after being declined, the username is not wanted', { state: 'declined' }, 'new', false],
  ['without an entitlement, the username is not wanted', { state: 'unlocked', reason: null }, 'new', false],
  ['after the end date, the username is not wanted', { state: 'unlocked', until: now }, 'new', false],
  ['a replaced username stays until the new one is unlocked', { state: 'unlocking', unlockedName: 'Old' }, 'old', true],
  ['a replaced username goes once the new one is unlocked', { state: 'unlocked', unlockedName: 'New' }, 'old', false],
  ['a replaced username goes when access is withheld', { state: 'withheld', unlockedName: 'Old' }, 'old', false],
] as const)('%s', ([, changes, key, isWanted]) => {
  expect(targetStateFor(row(changes as Partial<AccessRow>), key, now).isWanted).toBe(isWanted)
})
