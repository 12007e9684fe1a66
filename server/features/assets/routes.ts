import type { assets as contract } from '#contract/assets.ts'
import type { Handlers } from '../../http/mount.ts'
import { doer } from '../audit/audit.ts'
import type { Assets } from './assets.ts'

export const assetRoutes = (assets: Assets): Handlers<typeof contract> => ({
  list: (_input, { user }) => assets.list(user.id),
  adminList: () => assets.adminList(),
  // The contract lets the browser send its idea of place and state, as the spec says; the server has its own.
  adminAdd: ({ productId, ticker, note }, context) => assets.add(productId, { ticker, note }, doer(context)),
  adminImport: (input, context) => assets.import(input.productId, input.assets, doer(context)),
  adminMove: ({ id, position }, context) => assets.move(id, position, doer(context)),
  adminReview: (_input, context) => assets.review(doer(context)),
  adminDelete: ({ id }, context) => assets.remove(id, doer(context)),
})
