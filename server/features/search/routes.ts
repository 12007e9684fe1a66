import type { search as contract } from '#contract/search.ts'
import type { Handlers } from '../../http/mount.ts'
import type { Search } from './search.ts'

export const searchRoutes = (search: Search): Handlers<typeof contract> => ({
  adminFind: ({ q }) => search.find(q),
})
