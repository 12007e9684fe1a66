import type { accessRequests as contract } from '#contract/access/access-requests.ts'
import type { Handlers } from '#server/http/mount.ts'
import type { AccessRequests } from './access-requests.ts'

export const accessRequestRoutes = (requests: AccessRequests): Handlers<typeof contract> => ({
  submit: ({ paymentIntentId, ...form }, { actor }) => requests.submit(actor, { paymentIntentId }, form),
  submitForPurchase: ({ purchaseId, ...form }, { actor }) => requests.submit(actor, { purchaseId }, form),
  list: (_input, { actor }) => requests.list(actor.user.id),
  adminList: (input) => requests.open(input),
  adminToRevoke: (input) => requests.toRevoke(input),
  adminGrant: ({ ids }, { actor }) => requests.grant(actor, ids),
  adminUndo: ({ ids }, { actor }) => requests.undo(actor, ids),
  adminRefuse: ({ ids, reason }, { actor }) => requests.refuse(actor, ids, reason),
  adminRevoke: ({ ids }, { actor }) => requests.revoke(actor, ids),
  adminGranted: ({ state = 'granted', ...wanted }) => requests.granted(state, wanted),
  adminRestore: ({ ids }, { actor }) => requests.restore(actor, ids),
  adminReveal: ({ id }, { actor }) => requests.reveal(actor, id),
})
