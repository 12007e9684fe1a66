import type { customers as contract } from '#contract/desk/customers.ts'
import type { Handlers } from '#server/http/mount.ts'
import type { CustomerDesk } from './customers.ts'

export const customerRoutes = (desk: CustomerDesk): Handlers<typeof contract> => ({
  adminShow: ({ id }) => desk.show(id),
  adminTimeline: ({ id, ...page }) => desk.timeline(id, page),
  adminPayments: ({ id }) => desk.payments(id),
  adminMail: ({ id }) => desk.mail(id),
  adminResend: ({ id }, { actor }) => desk.resend(actor, id),
  adminAddNote: ({ id, text }, { actor }) => desk.notes.add(actor, id, text),
  adminDeleteNote: ({ id }, { actor }) => desk.notes.remove(actor, id),
  adminSendPasswordLink: ({ id }, { actor }) => desk.sendPasswordLink(actor, id),
  adminCorrectEmail: ({ id, email }, { actor }) => desk.correctEmail(actor, id, email),
  adminSeeAs: ({ id }, { actor }) => desk.seeAs(actor, id),
})
