import type { tradingView } from '#contract/access/tradingview.ts'
import type { tradingViewAdmin } from '#contract/access/tradingview-admin.ts'
import type { RawOutputOf } from '#contract/endpoint.ts'
import type { Handlers } from '#server/http/mount.ts'
import type { TradingViewAdmin } from './admin/administration.ts'
import type { Access } from './buyers/access.ts'

type Meter = () => Promise<RawOutputOf<(typeof tradingViewAdmin)['meter']>>

export const tradingViewRoutes = (access: Access): Handlers<typeof tradingView> => ({
  checkUsername: ({ username }) => access.checkUsername(username),
  mine: (_input, { actor }) => access.mine(actor.user.id),
  recheck: ({ purchaseId }, { actor }) => access.recheck(actor, purchaseId),
  changeUsername: ({ purchaseId, username }, { actor }) => access.changeUsername(actor, purchaseId, username),
})

export const tradingViewAdminRoutes = (
  admin: TradingViewAdmin,
  meter: Meter,
): Handlers<typeof tradingViewAdmin> => ({
  show: () => admin.show(),
  connect: (given, { actor }) => admin.connect(actor, given),
  test: () => admin.test(),
  pause: (_input, { actor }) => admin.pause(actor),
  resume: (_input, { actor }) => admin.resume(actor),
  forget: (_input, { actor }) => admin.forget(actor),
  reconcile: ({ mayRemove = false }, { actor }) => admin.reconcile(actor, mayRemove),
  settings: (settings, { actor }) => admin.settings(actor, settings),
  scripts: () => admin.scripts(),
  chooseScript: ({ pineId, productId }, { actor }) => admin.chooseScript(actor, pineId, productId),
  dropScript: ({ pineId }, { actor }) => admin.dropScript(actor, pineId),
  people: (paging) => admin.people(paging),
  history: ({ id }) => admin.history(id),
  attention: () => admin.attention(),
  runs: () => admin.runs(),
  retry: ({ id }, { actor }) => admin.retry(actor, id),
  remove: ({ id }, { actor }) => admin.remove(actor, id),
  adopt: ({ id }, { actor }) => admin.adopt(actor, id),
  rename: ({ id, username }, { actor }) => admin.rename(actor, id, username),
  meter,
})
