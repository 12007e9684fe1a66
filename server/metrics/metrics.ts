import { timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Pool } from 'pg'
import { notFound } from '../errors.ts'
import type { StripeGateway } from '../gateways/stripe.ts'
import { isFromThisMachine } from '../http/this-machine.ts'
import type { Queue } from '../jobs/queue.ts'
import { metricsOfAll } from './every-process.ts'
import { counter, createHistogram, type Family, gauge, type Sample, textOf } from './family.ts'

type Dependencies = {
  pool: Pool
  queue: Queue
  stripe: Pick<StripeGateway, 'faults'>
  /** Stripe events that have been waiting longer than they should. */
  overdueEvents: () => Promise<number>
  cspReports: () => number
  more: { ofThisProcess?(): Family[]; ofTheDatabase(): Promise<Family[]> }[]
  token: string | undefined
  production: boolean
}

const bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

/** `/metrics` for Prometheus: the summed counts of this machine's processes, and what the database says. */
export function mountMetrics(app: FastifyInstance, deps: Dependencies) {
  const { token, production } = deps
  const requests = createHistogram('shop_http_request_seconds', 'How long requests took.', bounds)
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'none'
    requests.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1000)
    done()
  })
  const ofAllProcesses = metricsOfAll(() => ofThisProcess(requests.family(), deps))

  app.get('/metrics', { config: { perMinute: false } }, async (request, reply) => {
    // In production, a proxy on the same machine may pass strangers through, so only the token counts.
    const isTrusted = token ? hasToken(request, token) : !production && isFromThisMachine(request.raw)
    // For everyone else, it does not exist.
    if (!isTrusted) throw notFound('Page')
    const [counted, stored] = await Promise.all([ofAllProcesses(), ofTheDatabase(deps)])
    return reply
      .type('text/plain; version=0.0.4; charset=utf-8')
      .header('cache-control', 'no-store')
      .send(textOf([...counted, ...stored]))
  })
}

function hasToken({ headers }: FastifyRequest, token: string) {
  const [given, right] = [Buffer.from(headers.authorization ?? ''), Buffer.from(`Bearer ${token}`)]
  return given.length === right.length && timingSafeEqual(given, right)
}

function ofThisProcess(requests: Family, { pool, queue, stripe, cspReports, more }: Dependencies): Family[] {
  const by = (label: string, counts: ReadonlyMap<string, number>) =>
    [...counts].map(([key, value]) => ({ labels: { [label]: key }, value }))
  return [
    ...more.flatMap((room) => room.ofThisProcess?.() ?? []),
    requests,
    gauge('shop_database_connections', 'Database connections, and requests waiting for one.', [
      { labels: { state: 'open' }, value: pool.totalCount },
      { labels: { state: 'idle' }, value: pool.idleCount },
      { labels: { state: 'waited_for' }, value: pool.waitingCount },
    ]),
    counter('shop_job_runs_total', 'Jobs run.', [...runsOf(queue)]),
    counter(
      'shop_stripe_faults_total',
      'Requests that Stripe refused or failed, with no buyer to blame.',
      by('type', stripe.faults),
    ),
    counter(
      'shop_csp_reports_total',
      'What browsers said the content policy blocked; anyone can send such a report.',
      cspReports(),
    ),
    gauge('shop_processes', 'Processes serving requests.', 1),
    gauge('process_resident_memory_bytes', 'Memory used by all processes.', process.memoryUsage.rss()),
    {
      ...gauge(
        'process_start_time_seconds',
        'When the newest process started.',
        Math.round(Date.now() / 1000 - process.uptime()),
      ),
      combine: 'largest',
    },
  ]
}

function* runsOf(queue: Queue): Generator<Sample> {
  for (const [kind, { succeeded, failed }] of queue.runs) {
    yield { labels: { kind, result: 'succeeded' }, value: succeeded }
    yield { labels: { kind, result: 'failed' }, value: failed }
  }
}

/** The same whichever process asks; without the database, only that it is down. */
async function ofTheDatabase({ queue, overdueEvents, more }: Dependencies): Promise<Family[]> {
  const up = (value: number) => gauge('shop_database_up', 'Whether the database answers.', value)
  try {
    const [depths, overdue, others] = await Promise.all([
      queue.depths(),
      overdueEvents(),
      Promise.all(more.map((room) => room.ofTheDatabase())),
    ])
    const jobs = (field: 'count' | 'seconds') =>
      depths.map(({ name, state, ...numbers }) => ({ labels: { kind: name, state }, value: numbers[field] }))
    return [
      up(1),
      ...others.flat(),
      gauge('shop_jobs', 'Unfinished jobs.', jobs('count')),
      gauge('shop_job_age_seconds', 'How long the oldest unfinished job has been due.', jobs('seconds')),
      gauge('shop_stripe_events_overdue', 'Unhandled Stripe events older than 15 minutes.', overdue),
    ]
  } catch {
    return [up(0)]
  }
}
