import type { RawOutputOf } from '#contract/endpoint.ts'
import type { tradingView as contract } from '#contract/tradingview.ts'
import type { Handlers } from '../../http/mount.ts'
import type { Access } from './access.ts'
import type { TradingViewAdmin } from './administration.ts'

type Dependencies = {
  access: Access
  admin: TradingViewAdmin
  meter: () => Promise<RawOutputOf<(typeof contract)['adminMeter']>>
}

export const tradingViewRoutes = ({ access, admin, meter }: Dependencies): Handlers<typeof contract> => ({
  checkUsername: ({ username }) => access.checkUsername(username),
  mine: (_input, { actor }) => access.mine(actor.user.id),
  recheck: ({ purchaseId }, { actor }) => access.recheck(actor, purchaseId),
  changeUsername: ({ purchaseId, username }, { actor }) => access.changeUsername(actor, purchaseId, username),
  adminShow: () => admin.show(),
  adminConnect: (given, { actor }) => admin.connect(actor, given),
  adminTest: () => admin.test(),
  adminPause: (_input, { actor }) => admin.pause(actor),
  adminResume: (_input, { actor }) => admin.resume(actor),
  adminForget: (_input, { actor }) => admin.forget(actor),
  adminReconcile: ({ mayRemove = false }, { actor }) => admin.reconcile(actor, mayRemove),
  adminSettings: (settings, { actor }) => admin.settings(actor, settings),
  adminScripts: () => admin.scripts(),
  adminChooseScript: ({ pineId, productId }, { actor }) => admin.chooseScript(actor, pineId, productId),
  adminDropScript: ({ pineId }, { actor }) => admin.dropScript(actor, pineId),
  adminPeople: (paging) => admin.people(paging),
  adminHistory: ({ id }) => admin.history(id),
  adminAttention: () => admin.attention(),
  adminRuns: () => admin.runs(),
  adminRetry: ({ id }, { actor }) => admin.retry(actor, id),
  adminRemove: ({ id }, { actor }) => admin.remove(actor, id),
  adminAdopt: ({ id }, { actor }) => admin.adopt(actor, id),
  adminRename: ({ id, username }, { actor }) => admin.rename(actor, id, username),
  adminMeter: () => meter(),
})
