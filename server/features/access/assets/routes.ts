import type { assets as contract } from '#contract/access/assets.ts'
import type { Handlers } from '#server/http/mount.ts'
import type { Assets } from './assets.ts'

export const assetRoutes = (assets: Assets): Handlers<typeof contract> => ({
  list: (_input, { actor }) => assets.list(actor.user.id),
  adminList: () => assets.adminList(),
  adminAdd: ({ productId, ...asset }, { actor }) => assets.add(actor, productId, asset),
  adminImport: (input, { actor }) => assets.import(actor, input.productId, input.assets),
  adminMove: ({ id, position }, { actor }) => assets.move(actor, id, position),
  adminSwitch: ({ id, isActive }, { actor }) => assets.switch(actor, id, isActive),
  adminNote: ({ id, note }, { actor }) => assets.describe(actor, id, note),
  adminReview: (_input, { actor }) => assets.review(actor),
  adminDelete: ({ id }, { actor }) => assets.remove(actor, id),
})
