import type { privatePackage as contract } from '#contract/access/package.ts'
import type { Handlers } from '#server/http/mount.ts'
import type { PrivatePackage } from './package.ts'

export const privatePackageRoutes = (privatePackage: PrivatePackage): Handlers<typeof contract> => ({
  show: (_input, { actor }) => privatePackage.show(actor.user.id),
})
