import { accessAdmin } from '#contract/access/access-admin.ts'
import { customers } from '#contract/desk/customers.ts'
import { overview } from '#contract/desk/overview.ts'

/** Everything that shows how someone's access stands. */
export const refreshes = [
  accessAdmin.todo,
  accessAdmin.counts,
  accessAdmin.people,
  overview.adminShow,
  customers.adminShow,
]
