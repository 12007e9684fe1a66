import { contract } from '#contract/index.ts'
import { hasPermission } from '#contract/permissions.ts'
import type { Http } from '#server/http/mount.ts'
import type { Selling } from '../selling/selling.ts'
import type { Access } from './open-access.ts'

type Areas = { access: Access; selling: Selling }

export function mountAccess({ mount }: Http, { access, selling }: Areas) {
  const { core, privatePackage, assets, reminders } = access
  const { buyerAccess, decisions, lists } = core
  const { sellerActions } = selling.subscriptions
  const { checkUsername, connecting, scripts, foreignEntries, runs, person, meter } = access.tradingView
  mount(contract.access, {
    submit: ({ paymentIntentId, ...form }, { actor, assertFresh }) =>
      buyerAccess.submit(actor, { paymentIntentId }, form, assertFresh),
    submitForPurchase: ({ purchaseId, ...form }, { actor, assertFresh }) =>
      buyerAccess.submit(actor, { purchaseId }, form, assertFresh),
    mine: (_input, { actor }) => buyerAccess.mine(actor.user.id),
    recheck: ({ purchaseId }, { actor }) => buyerAccess.recheck(actor, purchaseId),
    changeUsername: ({ purchaseId, username }, { actor, assertFresh }) =>
      buyerAccess.changeUsername(actor, purchaseId, username, assertFresh),
    checkUsername: ({ username }) => checkUsername(username),
  })

  mount(contract.accessAdmin, {
    todo: (input) => lists.todo(input),
    counts: () => lists.counts(),
    people: (input) => lists.people(input),
    history: ({ id }) => lists.history(id),
    grant: ({ ids, byHand }, { actor }) => decisions.grant(actor, ids, byHand),
    undo: ({ ids }, { actor }) => decisions.undo(actor, ids),
    async decline({ ids, reason, subscription }, { actor }) {
      const endsSubscription = subscription === 'end'
      const declined = await decisions.decline(actor, ids, reason, endsSubscription)
      // Support may not refund, so the subscription waits in the inbox for an admin.
      const endsNow = endsSubscription && hasPermission(actor.user, 'money.refund')
      return { changed: declined.length, problems: endsNow ? await sellerActions.refundAndEndAll(actor, declined) : [] }
    },
    async settleDeclined({ id, decision }, { actor }) {
      if (decision === 'end')
        return { problem: await sellerActions.refundAndEnd(actor, await decisions.findEndRequest(id)) }
      await decisions.keepSubscription(actor, id)
      return { problem: null }
    },
    withhold: ({ ids }, { actor }) => decisions.withhold(actor, ids),
    restore: ({ ids }, { actor }) => decisions.restore(actor, ids),
    lock: ({ ids }, { actor }) => decisions.lock(actor, ids),
    rename: ({ id, username }, { actor }) => decisions.rename(actor, id, username),
    retry: ({ id }, { actor }) => person.retry(actor, id),
    adopt: ({ id }, { actor }) => person.adopt(actor, id),
    reveal: ({ id }, { actor }) => core.revealKeys(actor, id),
  })

  mount(contract.tradingViewAdmin, {
    show: () => connecting.show(),
    connect: (input, { actor }) => connecting.connect(actor, input),
    test: () => connecting.test(),
    pause: (_input, { actor }) => connecting.pause(actor),
    resume: (_input, { actor }) => connecting.resume(actor),
    forget: (_input, { actor }) => connecting.forget(actor),
    reconcile: ({ mayRemove = false }, { actor }) => connecting.reconcile(actor, mayRemove),
    settings: (settings, { actor }) => connecting.settings(actor, settings),
    scripts: () => scripts.list(),
    chooseScript: ({ pineId, productId }, { actor }) => scripts.choose(actor, pineId, productId),
    dropScript: ({ pineId }, { actor }) => scripts.drop(actor, pineId),
    preview: () => connecting.preview(),
    foreignEntries: (paging) => foreignEntries(paging),
    runs: () => runs(),
    meter: () => meter.read(),
  })

  mount(contract.privatePackage, { show: ({ product }, { actor }) => privatePackage.show(actor.user.id, product) })

  mount(contract.assets, {
    list: (_input, { actor }) => assets.list(actor.user.id),
    recentlyRemoved: (_input, { actor }) => assets.recentlyRemoved(actor.user.id),
  })
  mount(contract.assetsAdmin, {
    list: () => assets.adminList(),
    recentlyRemoved: () => assets.adminRecentlyRemoved(),
    add: ({ productId, ...asset }, { actor }) => assets.add(actor, productId, asset),
    import: (input, { actor }) => assets.import(actor, input.productId, input.assets),
    move: ({ id, position }, { actor }) => assets.move(actor, id, position),
    switch: ({ id, isActive }, { actor }) => assets.setActive(actor, id, isActive),
    note: ({ id, note }, { actor }) => assets.setNote(actor, id, note),
    review: ({ productId }, { actor }) => assets.review(actor, productId),
    delete: ({ id }, { actor }) => assets.remove(actor, id),
  })

  mount(contract.reminders, {
    adminCount: async () => ({ due: await reminders.count() }),
    adminSend: async (_input, { actor }) => ({ queued: await reminders.send(actor) }),
  })
}
