import type { contract } from '#contract/index.ts'
import type { Handlers } from '#server/http/mount.ts'
import type { Newsletter } from '../site/newsletter/newsletter.ts'
import type { CustomerDesk } from './customers/customers.ts'
import type { Exports } from './exports/exports.ts'
import type { FailedJobs } from './failed-jobs/failed-jobs.ts'
import type { Imports } from './imports/imports.ts'
import type { Overview } from './overview/overview.ts'
import type { Search } from './search/search.ts'

type Contract = typeof contract

export const overviewRoutes = (overview: Overview): Handlers<Contract['overview']> => ({
  adminShow: () => overview.show(),
  adminNeeds: () => overview.needs(),
})

export const figureRoutes = ({ figures }: Overview, exports: Exports): Handlers<Contract['figures']> => ({
  adminShow: ({ range }) => figures.show(range),
  adminMovements: (wanted) => figures.movements(wanted),
  adminPayments: (wanted) => figures.payments(wanted),
  adminExportPayments: async ({ period }, { actor, reply }) => {
    reply.header('x-estimated-rows', await exports.estimate('payments'))
    return exports.download(actor, 'payments', { period })
  },
})

export const customerRoutes = (desk: CustomerDesk): Handlers<Contract['customers']> => ({
  adminShow: ({ id }) => desk.show(id),
  adminTimeline: ({ id, ...page }) => desk.timeline(id, page),
  adminPayments: ({ id }) => desk.payments(id),
  adminMail: ({ id }) => desk.mail(id),
  adminResend: ({ id }, { actor }) => desk.resend(actor, id),
  adminAddNote: ({ id, text }, { actor }) => desk.notes.add(actor, id, text),
  adminDeleteNote: ({ id }, { actor }) => desk.notes.remove(actor, id),
  adminSendPasswordLink: ({ id }, { actor }) => desk.sendPasswordLink(actor, id),
  adminSuppress: ({ id, isSuppressed }, { actor }) => desk.setSuppressed(actor, id, isSuppressed),
  adminCorrectEmail: ({ id, email }, { actor }) => desk.correctEmail(actor, id, email),
  adminSeeAs: ({ id }, { actor }) => desk.seeAs(actor, id),
})

export const searchRoutes = (search: Search): Handlers<Contract['search']> => ({
  adminFind: ({ q }) => search.find(q),
})

export const exportRoutes = (exports: Exports): Handlers<Contract['exports']> => ({
  download: async ({ kind }, { actor, reply }) => {
    reply.header('x-estimated-rows', await exports.estimate(kind))
    return exports.download(actor, kind)
  },
})

export const newsletterAddressRoutes = (
  newsletter: Newsletter,
  exports: Exports,
): Handlers<Contract['newsletterAddresses']> => ({
  adminList: (wanted) => newsletter.list(wanted),
  adminExport: async ({ state }, { actor, reply }) => {
    reply.header('x-estimated-rows', await exports.estimate('newsletter'))
    return exports.download(actor, 'newsletter', { state })
  },
})

export const newsletterRoutes = ({ drafts, sending }: Newsletter): Handlers<Contract['newsletters']> => ({
  adminList: (page) => drafts.list(page),
  adminShow: ({ id }) => drafts.show(id),
  adminPreview: ({ id, scheme }) => drafts.preview(id, scheme),
  adminCreate: (written, { actor }) => drafts.create(actor, written),
  adminSave: ({ id, version, ...written }, { actor }) => drafts.save(actor, id, version, written),
  adminDelete: ({ id }, { actor }) => drafts.remove(actor, id),
  adminTest: ({ id }, { actor }) => drafts.test(actor, id),
  adminSend: ({ id, version, at }, { actor }) => sending.send(actor, id, version, at),
  adminPause: ({ id }, { actor }) => sending.pause(actor, id),
  adminResume: ({ id }, { actor }) => sending.resume(actor, id),
  adminStop: ({ id }, { actor }) => sending.stop(actor, id),
})

export const importRoutes = (imports: Imports): Handlers<Contract['imports']> => ({
  adminCheck: ({ lines }) => imports.check(lines),
  adminImport: ({ lines, ...options }, { actor }) => imports.run(actor, lines, options),
})

export const failedJobRoutes = (jobs: FailedJobs): Handlers<Contract['jobs']> => ({
  adminList: (input) => jobs.list(input),
  adminRetry: ({ id }, { actor }) => jobs.retry(actor, id),
  adminDiscard: ({ id }, { actor }) => jobs.discard(actor, id),
})
