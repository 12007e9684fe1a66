import type { accessRequests as contract } from '#contract/access-requests.ts'
import type { Handlers } from '../../http/mount.ts'
import { doer } from '../audit/audit.ts'
import type { AccessRequests } from './access-requests.ts'

export const accessRequestRoutes = (requests: AccessRequests): Handlers<typeof contract> => ({
  submit: ({ paymentIntentId, ...form }, { user }) => requests.submit(user.id, { paymentIntentId }, form),
  submitForPurchase: ({ purchaseId, ...form }, { user }) => requests.submit(user.id, { purchaseId }, form),
  list: (_, { user }) => requests.list(user.id),
  adminList: (input) => requests.open(input),
  adminToRevoke: (input) => requests.toRevoke(input),
  adminGrant: ({ ids }, context) => requests.grant(doer(context), ids),
  adminRefuse: ({ ids, reason }, context) => requests.refuse(doer(context), ids, reason),
  adminRevoke: ({ ids }, context) => requests.revoke(doer(context), ids),
  adminReveal: ({ id }, context) => requests.reveal(doer(context), id),
})
