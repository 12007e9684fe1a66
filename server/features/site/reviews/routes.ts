import type { reviews as contract } from '#contract/site/reviews.ts'
import type { Handlers } from '#server/http/mount.ts'
import type { Reviews } from './reviews.ts'

export const reviewRoutes = (reviews: Reviews): Handlers<typeof contract> => ({
  list: (page) => reviews.list(page),
  mine: (_input, { actor }) => reviews.mine(actor.user.id),
  write: (written, { actor }) => reviews.write(actor, written),
  report: ({ id, reason }) => reviews.report(id, reason),
  adminList: (page) => reviews.adminList(page),
  adminAnswer: ({ id, answer }, { actor }) => reviews.answer(actor, id, answer),
  adminHide: ({ id, reason }, { actor }) => reviews.hide(actor, id, reason),
})
