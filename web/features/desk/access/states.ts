import type { AccessPerson } from '#contract/access/access-admin.ts'
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

/** `remove` is for people who pay, `removed` for those who no longer do. */
export type Action = 'unlock' | 'decline' | 'remove' | 'removed' | 'restore' | 'undo' | 'retry' | 'keys'

export function whatMayBeDone({ state, reason, mayUndo }: AccessPerson): Action[] {
  if (mayUndo) return ['undo', 'retry']
  switch (state) {
    case 'asked':
      return ['unlock', 'decline']
    case 'unlocking':
      return ['retry', 'remove']
    case 'unlocked':
      return reason ? ['retry', 'remove'] : ['removed']
    case 'withheld':
      return ['restore']
    default:
      return []
  }
}
