import type { FastifyInstance } from 'fastify'

export const cspReportPath = '/api/csp-reports'

/** A report names the page, the policy and what was blocked; a longer one is not from a browser. */
const bodyLimit = 16 * 1024
/** Per address and process: a broken page reports a few at a time. */
const perMinute = 60

/** Counts reports of blocked content. Their text is ignored, because anyone can send one. */
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
