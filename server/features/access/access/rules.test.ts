import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type AccessEvent, type AccessState, accessEvents, accessStates } from '#contract/statuses.ts'
import { type AccessRow, type Facts, next, wishFor } from './rules.ts'

const [, table = ''] = readFileSync(new URL('../../../../docs/access.md', import.meta.url), 'utf8').split(
  '## What moves it',
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

const holding: [words: RegExp, holds: Facts['holds']][] = [
  [/another name/, 'other'],
  [/the same name|back to the name|a name is still open/, 'same'],
]

function factsOf(state: AccessState, when: string, connector: boolean): Facts {
  const holds = holding.find(([words]) => words.test(when))?.[1]
  return {
    state,
    connector,
    isPaid: !when.startsWith('not paid'),
    isNamed: true,
    needsDecision: when.includes('to decide'),
    holds: holds ?? (state === 'unlocked' ? 'same' : 'none'),
  }
}

const stepOf = (cell: string) => {
  const [to = '', toDecide] = cell.split(', ')
  return to === '–' ? undefined : { to, needsDecision: toDecide !== undefined }
}

describe('the table of docs/access.md', () => {
  test('has every event that moves a state', () => {
    const silent = new Set<AccessEvent>(['named', 'renamed', 'undone'])
    expect(new Set(rows.map(({ event }) => event))).toEqual(new Set(accessEvents.filter((event) => !silent.has(event))))
  })

  test.for(rows)('$event from $state, $when', ({ event, state, when, byHand, connector }) => {
    for (const [cell, isConnected] of [
      [byHand, false],
      [connector, true],
    ] as const) {
      const step = next(event, factsOf(state, when, isConnected))
      expect(step && { needsDecision: false, ...step }).toEqual(stepOf(cell))
    }
  })
})

const facts: fc.Arbitrary<Facts> = fc.record({
  state: fc.constantFrom(...accessStates),
  isPaid: fc.boolean(),
  isNamed: fc.boolean(),
  needsDecision: fc.boolean(),
  holds: fc.constantFrom('none', 'same', 'other'),
  connector: fc.boolean(),
})

const isWithheld = ({ state, needsDecision }: Facts) =>
  state === 'declined' || state === 'withheld' || (state === 'asked' && needsDecision)

test('nobody whom the seller keeps out is let in by anything but the seller', () => {
  fc.assert(
    fc.property(
      facts.filter((each) => each.isPaid && isWithheld(each)),
      fc.constantFrom(...accessEvents),
      (before, event) => {
        const step = next(event, before)
        if (event === 'granted' || event === 'restored' || event === 'ended' || !step) return
        expect(isWithheld({ ...before, state: step.to, needsDecision: step.needsDecision ?? false })).toBe(true)
      },
    ),
  )
})

test('nobody begins to be unlocked who does not pay or has no name that works', () => {
  fc.assert(
    fc.property(facts, fc.constantFrom(...accessEvents), (before, event) => {
      if (next(event, before)?.to !== 'unlocking') return
      expect(before).toMatchObject({ isPaid: true, isNamed: true, connector: true })
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
  ['unlocked, it is wanted', { state: 'unlocked' }, 'new', true],
  ['being unlocked, it is wanted', { state: 'unlocking' }, 'new', true],
  ['in the minute of an undo, not yet', { state: 'unlocking', undoUntil: soon }, 'new', false],
  ['declined, it is not', { state: 'declined' }, 'new', false],
  ['no longer paid for, it is not', { state: 'unlocked', reason: null }, 'new', false],
  ['when its time is over, it is not', { state: 'unlocked', until: now }, 'new', false],
  ['an old name stays until the new one is open', { state: 'unlocking', unlockedName: 'Old' }, 'old', true],
  ['an old name goes when the new one is open', { state: 'unlocked', unlockedName: 'New' }, 'old', false],
  ['an old name goes when access is withheld', { state: 'withheld', unlockedName: 'Old' }, 'old', false],
] as const)('%s', ([, changes, key, isWanted]) => {
  expect(wishFor(row(changes as Partial<AccessRow>), key, now).isWanted).toBe(isWanted)
})
