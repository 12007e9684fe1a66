import { accessAdmin } from '#contract/access/access-admin.ts'
import { customers } from '#contract/desk/customers.ts'
import { overview } from '#contract/desk/overview.ts'
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

export const refreshes = [
  accessAdmin.todo,
  accessAdmin.counts,
  accessAdmin.people,
  overview.adminShow,
  customers.adminShow,
]
