import type { search as contract } from '#contract/desk/search.ts'
import type { Handlers } from '#server/http/mount.ts'
import type { Search } from './search.ts'

export const searchRoutes = (search: Search): Handlers<typeof contract> => ({
  adminFind: ({ q }) => search.find(q),
})
