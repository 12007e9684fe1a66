import type { FastifyInstance } from 'fastify'

export const cspReportPath = '/api/csp-reports'

/** A report names the page, the policy and what was blocked; a longer one is not from a browser. */
const bodyLimit = 16 * 1024
/** Per address and process: a broken page reports a few at a time. */
const perMinute = 60

const directives = [
  'script-src-elem',
  'script-src-attr',
  'style-src-elem',
  'style-src-attr',
  'img-src',
  'font-src',
  'connect-src',
  'frame-src',
  'form-action',
  'base-uri',
  'frame-ancestors',
  'require-trusted-types-for',
  'trusted-types',
]

/** What browsers say the content policy blocked: counted by directive only, because anyone can send a report. */
export async function mountCspReports(app: FastifyInstance): Promise<ReadonlyMap<string, number>> {
  const counts = new Map([...directives, 'other'].map((directive) => [directive, 0]))
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('application/csp-report', { parseAs: 'string' }, (_request, body, done) =>
      done(null, body),
    )
    scope.post<{ Body: string }>(
      cspReportPath,
      { bodyLimit, config: { perMinute } },
      async ({ body }, reply) => {
        const directive = directiveOf(body)
        const name = counts.has(directive) ? directive : 'other'
        counts.set(name, (counts.get(name) ?? 0) + 1)
        return reply.status(204).send()
      },
    )
  })
  return counts
}

function directiveOf(body: string): string {
  try {
    const report: unknown = JSON.parse(body)?.['csp-report']?.['effective-directive']
    return typeof report === 'string' ? report : ''
  } catch {
    return ''
  }
}
