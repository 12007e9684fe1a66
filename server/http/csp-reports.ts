import type { FastifyInstance } from 'fastify'

export const cspReportPath = '/api/csp-reports'

const bodyLimit = 16 * 1024
/** Limit of one address in one process; a broken page sends a few reports at a time. */
const perMinute = 60

/** Returns a function that tells the number of reports. Ignores their text, because anyone can send one. */
export async function mountCspReports(app: FastifyInstance): Promise<() => number> {
  let count = 0
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('application/csp-report', { parseAs: 'string' }, (_request, body, done) =>
      done(null, body),
    )
    scope.post(cspReportPath, { bodyLimit, config: { perMinute } }, (_request, reply) => {
      count += 1
      return reply.status(204).send()
    })
  })
  return () => count
}
