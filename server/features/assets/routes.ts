import type { assets as contract } from '#contract/assets.ts'
import type { Handlers } from '../../http/mount.ts'
import type { Assets } from './assets.ts'

export const assetRoutes = (assets: Assets): Handlers<typeof contract> => ({
  list: (_input, { actor }) => assets.list(actor.user.id),
  adminList: () => assets.adminList(),
  // The contract lets the browser send its idea of place and state, as the spec says; the server has its own.
  adminAdd: ({ productId, ticker, note }, { actor }) => assets.add(actor, productId, { ticker, note }),
  adminImport: (input, { actor }) => assets.import(actor, input.productId, input.assets),
  adminMove: ({ id, position }, { actor }) => assets.move(actor, id, position),
  adminReview: (_input, { actor }) => assets.review(actor),
  adminDelete: ({ id }, { actor }) => assets.remove(actor, id),
})
