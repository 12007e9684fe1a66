import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type AccessEvent, type AccessState, accessEvents, accessStates } from '#contract/statuses.ts'
import { type AccessRow, type Facts, nextStep, targetStateFor } from './rules.ts'

type Transition = { event: AccessEvent; state: AccessState; when: string; byHand: string; connector: string }

/** Rows of the table in docs/access.md, once for each state that a row begins with. */
function readTransitions(): Transition[] {
  const document = readFileSync(new URL('../../../../docs/access.md', import.meta.url), 'utf8')
  const [, textFromHeading = ''] = document.split('## Transitions')
  const [section = ''] = textFromHeading.split('\n## ')
  const tableLines = section.split('\n').filter((line) => line.startsWith('|'))
  const linesBelowHeader = tableLines.slice(2)
  return linesBelowHeader.flatMap((line) => {
    const cells = line.split('|').map((cell) => cell.trim())
    const [, event = '', states = '', when = '', byHand = '', connector = ''] = cells
    return states
      .split(', ')
      .map((state) => ({ event: event as AccessEvent, state: state as AccessState, when, byHand, connector }))
  })
}

const transitions = readTransitions()

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
    expect(new Set(transitions.map(({ event }) => event))).toEqual(
      new Set(accessEvents.filter((event) => !eventsWithoutStep.has(event))),
    )
  })

  test.for(transitions)('$event from $state, $when', ({ event, state, when, byHand, connector }) => {
    const computeStep = (hasConnector: boolean) => {
      const step = nextStep(event, factsOf(state, when, hasConnector))
      return step && { needsDecision: false, ...step }
    }
    expect(computeStep(false)).toEqual(stepOf(byHand))
    expect(computeStep(true)).toEqual(stepOf(connector))
  })
})

const anyFacts: fc.Arbitrary<Facts> = fc.record({
  state: fc.constantFrom(...accessStates),
  isPaid: fc.boolean(),
  isNamed: fc.boolean(),
  needsDecision: fc.boolean(),
  unlockedAccount: fc.constantFrom('none', 'same', 'other'),
  hasConnector: fc.boolean(),
})

const isRefusedBySeller = ({ state, needsDecision }: Facts) =>
  state === 'declined' || state === 'withheld' || (state === 'asked' && needsDecision)

test('only the seller can unlock a buyer whom the seller has declined or withheld', () => {
  fc.assert(
    fc.property(
      anyFacts.filter((facts) => facts.isPaid && isRefusedBySeller(facts)),
      fc.constantFrom(...accessEvents),
      (facts, event) => {
        const step = nextStep(event, facts)
        if (event === 'granted' || event === 'restored' || event === 'ended' || !step) return
        const factsAfter = { ...facts, state: step.to, needsDecision: step.needsDecision ?? false }
        expect(isRefusedBySeller(factsAfter)).toBe(true)
      },
    ),
  )
})

test('the connector unlocks only entitled buyers with a usable username', () => {
  fc.assert(
    fc.property(anyFacts, fc.constantFrom(...accessEvents), (facts, event) => {
      if (nextStep(event, facts)?.to !== 'unlocking') return
      expect(facts).toMatchObject({ isPaid: true, isNamed: true, hasConnector: true })
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
