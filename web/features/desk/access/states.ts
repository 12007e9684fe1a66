import type { AccessState } from '#contract/statuses.ts'

export const stateTexts: Record<AccessState, string> = {
  none: 'not requested',
  asked: 'waiting for you',
  unlocking: 'unlocking',
  unlocked: 'unlocked',
  locked: 'locked',
  declined: 'declined',
  withheld: 'removed by you',
}

export const stateTones = {
  none: 'neutral',
  asked: 'warning',
  unlocking: 'warning',
  unlocked: 'good',
  locked: 'neutral',
  declined: 'bad',
  withheld: 'bad',
} as const satisfies Record<AccessState, string>
