import type { FastifyInstance } from 'fastify'
import { Counter } from 'prom-client'

export const cspReportPath = '/api/csp-reports'

const bodyLimit = 16 * 1024
/** Limit of one address in one process; a broken page sends a few reports at a time. */
const perMinute = 60

/** Counts the reports and ignores their text, because anyone can send one. */
export async function mountCspReports(app: FastifyInstance): Promise<Counter> {
  const reports = new Counter({
    name: 'shop_csp_reports_total',
    help: 'Reports by browsers that the content policy blocked something; anyone can send one.',
    registers: [],
  })
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('application/csp-report', { parseAs: 'string' }, (_request, body, done) =>
      done(null, body),
    )
    scope.post(cspReportPath, { bodyLimit, config: { perMinute } }, (_request, reply) => {
      reports.inc()
      return reply.status(204).send()
    })
  })
  return reports
}
