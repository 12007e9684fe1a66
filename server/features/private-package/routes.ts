import type { privatePackage as contract } from '#contract/private-package.ts'
import type { Handlers } from '../../http/mount.ts'
import type { PrivatePackage } from './private-package.ts'

export const privatePackageRoutes = (privatePackage: PrivatePackage): Handlers<typeof contract> => ({
  show: (_input, { actor }) => privatePackage.show(actor.user.id),
})
