import { contract } from '#contract/index.ts'
import type { Http } from '#server/http/mount.ts'
import type { Selling } from '../selling/selling.ts'
import type { Site } from '../site/site.ts'
import type { AdminArea } from './admin.ts'

type AdminAreas = { admin: AdminArea; site: Site; selling: Pick<Selling, 'bookkeeping'> }

export function mountAdminArea({ mount }: Http, { admin, site, selling: { bookkeeping } }: AdminAreas) {
  const { customers, disputes, exports, failedJobs, imports, overview, search } = admin
  mount(contract.overview, {
    adminShow: () => overview.show(),
    adminNeeds: (_input, { actor }) => overview.needs(actor.user),
    adminToday: () => overview.pulse.today(),
  })
  mount(contract.checklist, {
    adminShow: () => admin.checklist.show(),
    adminConfirm: ({ key }, { actor }) => admin.checklist.confirm(actor, key),
  })
  mount(contract.figures, {
    adminShow: ({ range }) => overview.figures.show(range),
    adminExport: () => overview.figures.csv(),
    adminMovements: (filter) => overview.figures.movements(filter),
    adminPayments: (filter) => overview.figures.payments(filter),
    adminExportPayments: ({ period }, { actor }) => exports.download(actor, 'payments', { period }),
  })
  mount(contract.bookkeeping, {
    adminPayouts: (page) => bookkeeping.payouts(page),
    adminPayoutLines: ({ id, ...page }) => bookkeeping.linesOf(id, page),
    adminMonths: () => bookkeeping.months(),
    adminTaxes: ({ period }) => bookkeeping.taxes(period),
    adminExportTaxes: ({ period, euroRate }) => bookkeeping.taxesCsv(period, euroRate),
    adminExportMonth: ({ period }, { actor }) => exports.download(actor, 'bookkeeping', { period }),
  })
  mount(contract.disputes, {
    adminShow: ({ id }) => disputes.show(id),
    adminSave: ({ id, ...answer }) => disputes.save(id, answer),
    adminSubmit: ({ id, ...answer }, { actor }) => disputes.submit(actor, id, answer),
  })
  mount(contract.customers, {
    adminShow: ({ id }) => customers.show(id),
    adminTimeline: ({ id, ...page }, { actor }) => customers.timeline(actor, id, page),
    adminPayments: ({ id }) => customers.payments(id),
    adminDocument: ({ id, document }) => customers.document(id, document),
    adminMail: ({ id }) => customers.mail(id),
    adminResend: ({ id }, { actor }) => customers.resend(actor, id),
    adminAddNote: ({ id, text }, { actor }) => customers.notes.add(actor, id, text),
    adminDeleteNote: ({ id }, { actor }) => customers.notes.remove(actor, id),
    adminWrite: ({ id, ...message }, { actor }) => customers.write(actor, id, message),
    adminSendPasswordLink: ({ id }, { actor }) => customers.sendPasswordLink(actor, id),
    adminSuppress: ({ id, isSuppressed }, { actor }) => customers.setSuppressed(actor, id, isSuppressed),
    adminCorrectEmail: ({ id, email }, { actor }) => customers.correctEmail(actor, id, email),
    adminSeeAs: ({ id }, { actor }) => customers.seeAs(actor, id),
  })
  mount(contract.search, { adminFind: ({ q }) => search.find(q) })
  mount(contract.exports, { download: ({ kind }, { actor }) => exports.download(actor, kind) })
  mount(contract.newsletterAddresses, {
    adminList: (filter) => site.newsletter.list(filter),
    adminExport: ({ state }, { actor }) => exports.download(actor, 'newsletter', { state }),
  })
  mount(contract.imports, {
    adminCheck: ({ lines }) => imports.check(lines),
    adminImport: ({ lines, ...options }, { actor }) => imports.run(actor, lines, options),
  })
  mount(contract.jobs, {
    adminList: (input) => failedJobs.list(input),
    adminRetry: ({ id }, { actor }) => failedJobs.retry(actor, id),
    adminDiscard: ({ id }, { actor }) => failedJobs.discard(actor, id),
  })
}
