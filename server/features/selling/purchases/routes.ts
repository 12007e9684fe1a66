import type { purchases as contract } from '#contract/selling/purchases.ts'
import type { Handlers } from '#server/http/mount.ts'
import type { Purchases } from './purchases.ts'

export function purchaseRoutes(purchases: Purchases): Handlers<typeof contract> {
  const { card, administration } = purchases
  return {
    list: (page, { actor }) => purchases.list(actor.user.id, page),
    cancel: ({ id }, { actor }) => purchases.cancel(actor, id),
    cancellation: ({ id }, { actor }) => purchases.cancellation(actor.user.id, id),
    resume: ({ id }, { actor }) => purchases.resume(actor, id),
    invoice: ({ id }, { actor }) => purchases.invoice(actor.user.id, id),
    invoices: ({ id }, { actor }) => purchases.invoices(actor.user.id, id),
    openInvoice: (link) => purchases.openInvoice(link),
    beginCardUpdate: ({ id }, { actor }) => card.begin(actor, id),
    finishCardUpdate: ({ id, setupIntentId }, { actor }) => card.finish(actor, id, setupIntentId),
    adminList: (page) => administration.list(page),
    adminAdd: ({ endsAt, ...booking }, { actor }) =>
      administration.add(actor, { ...booking, ...(endsAt ? { endsAt: new Date(endsAt) } : {}) }),
    adminCancel: ({ id }, { actor }) => administration.cancel(actor, id),
    adminDelete: ({ id }, { actor }) => administration.remove(actor, id),
    adminRefundable: ({ id }) => administration.refundable(id),
    adminExtend: ({ id, until }, { actor }) => purchases.extend(actor, id, until),
    adminRefund: ({ id, ...wanted }, { actor }) => administration.refund(actor, id, wanted),
  }
}
