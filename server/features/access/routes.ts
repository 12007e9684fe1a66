import { contract } from '#contract/index.ts'
import type { Doors } from '#server/http/mount.ts'
import type { Selling } from '../selling/selling.ts'
import type { AccessRequests } from './access-requests/access-requests.ts'
import type { Assets } from './assets/assets.ts'
import type { PrivatePackage } from './package/package.ts'
import type { Reminders } from './reminders/reminders.ts'
import type { TradingView } from './tradingview/tradingview.ts'

type Rooms = {
  accessRequests: AccessRequests
  tradingView: TradingView
  privatePackage: PrivatePackage
  assets: Assets
  reminders: Reminders
}

/** One thin handler for each row of the contract. */
export function mountAccess({ mount }: Doors, rooms: Rooms, { seats }: Pick<Selling, 'seats'>) {
  const { accessRequests: requests, privatePackage, assets, reminders } = rooms
  const { buyers, connecting, scripts, people, person } = rooms.tradingView
  mount(contract.accessRequests, {
    submit: ({ paymentIntentId, ...form }, { actor }) => requests.submit(actor, { paymentIntentId }, form),
    submitForPurchase: ({ purchaseId, ...form }, { actor }) => requests.submit(actor, { purchaseId }, form),
    list: (_input, { actor }) => requests.list(actor.user.id),
    adminList: (input) => requests.lists.open(input),
    adminToRevoke: (input) => requests.lists.toRevoke(input),
    adminGranted: ({ state = 'granted', ...wanted }) => requests.lists.granted(state, wanted),
    adminGrant: ({ ids }, { actor }) => requests.decisions.grant(actor, ids),
    adminUndo: ({ ids }, { actor }) => requests.decisions.undo(actor, ids),
    adminRefuse: ({ ids, reason }, { actor }) => requests.decisions.decline(actor, ids, reason),
    adminRevoke: ({ ids }, { actor }) => requests.decisions.revoke(actor, ids),
    adminRestore: ({ ids }, { actor }) => requests.decisions.restore(actor, ids),
    adminReveal: ({ id }, { actor }) => requests.revealKeys(actor, id),
  })
  mount(contract.tradingView, {
    checkUsername: ({ username }) => buyers.checkUsername(username),
    mine: (_input, { actor }) => buyers.mine(actor.user.id),
    recheck: ({ purchaseId }, { actor }) => buyers.recheck(actor, purchaseId),
    changeUsername: ({ purchaseId, username }, { actor }) =>
      buyers.changeUsername(actor, purchaseId, username),
  })
  mount(contract.tradingViewAdmin, {
    show: () => connecting.show(),
    connect: (given, { actor }) => connecting.connect(actor, given),
    test: () => connecting.test(),
    pause: (_input, { actor }) => connecting.pause(actor),
    resume: (_input, { actor }) => connecting.resume(actor),
    forget: (_input, { actor }) => connecting.forget(actor),
    reconcile: ({ mayRemove = false }, { actor }) => connecting.reconcile(actor, mayRemove),
    settings: (settings, { actor }) => connecting.settings(actor, settings),
    scripts: () => scripts.list(),
    chooseScript: ({ pineId, productId }, { actor }) => scripts.choose(actor, pineId, productId),
    dropScript: ({ pineId }, { actor }) => scripts.drop(actor, pineId),
    people: (paging) => people.list(paging),
    history: ({ id }) => people.history(id),
    attention: () => people.attention(),
    runs: () => people.runs(),
    retry: ({ id }, { actor }) => person.retry(actor, id),
    remove: ({ id }, { actor }) => person.remove(actor, id),
    adopt: ({ id }, { actor }) => person.adopt(actor, id),
    rename: ({ id, username }, { actor }) => person.rename(actor, id, username),
    meter: seats.meter.read,
  })
  mount(contract.privatePackage, {
    show: (_input, { actor }) => privatePackage.show(actor.user.id),
  })
  mount(contract.assets, {
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
  mount(contract.reminders, {
    adminCount: async () => ({ due: await reminders.count() }),
    adminSend: async (_input, { actor }) => ({ queued: await reminders.send(actor) }),
  })
}
