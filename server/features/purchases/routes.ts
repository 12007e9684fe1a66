import type { purchases as contract } from '#contract/purchases.ts'
import type { Context, Handlers } from '../../http/mount.ts'
import type { By } from './administration.ts'
import type { Purchases } from './purchases.ts'

type AdminContext = Context<(typeof contract)['adminCancel']>
const by = ({ user, request }: AdminContext): By => ({ actor: user, ip: request.ip })

export function purchasesRoutes(purchases: Purchases): Handlers<typeof contract> {
  const { card, administration } = purchases
  return {
    list: (page, { user }) => purchases.list(user.id, page),
    cancel: ({ id }, { user }) => purchases.cancel(user.id, id),
    resume: ({ id }, { user }) => purchases.resume(user.id, id),
    invoice: ({ id }, { user }) => purchases.invoice(user.id, id),
    invoices: ({ id }, { user }) => purchases.invoices(user.id, id),
    beginCardUpdate: ({ id }, { user }) => card.begin(user.id, id),
    finishCardUpdate: ({ id, setupIntentId }, { user }) => card.finish(user.id, id, setupIntentId),
    adminList: (page) => administration.list(page),
    adminAdd: (wanted, context) => administration.add(by(context), wanted),
    adminCancel: ({ id }, context) => administration.cancel(by(context), id),
    adminDelete: ({ id }, context) => administration.remove(by(context), id),
    adminRefund: ({ id, amount }, context) => administration.refund(by(context), id, amount),
  }
}
