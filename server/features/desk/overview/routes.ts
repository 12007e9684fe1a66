import type { overview as contract } from '#contract/desk/overview.ts'
import type { Handlers } from '#server/http/mount.ts'
import type { Overview } from './overview.ts'

export const overviewRoutes = (overview: Overview): Handlers<typeof contract> => ({
  adminShow: () => overview.show(),
  adminNeeds: () => overview.needs(),
})
