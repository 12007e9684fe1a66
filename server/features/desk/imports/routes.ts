import type { imports as contract } from '#contract/desk/imports.ts'
import type { Handlers } from '#server/http/mount.ts'
import type { Imports } from './imports.ts'

export const importRoutes = (imports: Imports): Handlers<typeof contract> => ({
  adminCheck: ({ lines }) => imports.check(lines),
  adminImport: ({ lines, ...options }, { actor }) => imports.run(actor, lines, options),
})
