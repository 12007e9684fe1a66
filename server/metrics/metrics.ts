import { timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Pool } from 'pg'
import { notFound } from '../errors.ts'
import type { StripeGateway } from '../gateways/stripe.ts'
import { isFromThisMachine } from '../http/this-machine.ts'
import type { Queue } from '../jobs/queue.ts'
import { metricsOfAll } from './every-process.ts'
import { type Family, type Sample, textOf } from './family.ts'

type Dependencies = {
  pool: Pool
  queue: Queue
  stripe: Pick<StripeGateway, 'faults'>
  /** Stripe events that have been waiting longer than they should. */
  overdueEvents: () => Promise<number>
  /** By directive. */
  cspReports: ReadonlyMap<string, number>
  /** What rooms measure themselves. */
  more: { ofThisProcess?(): Family[]; ofTheDatabase(): Promise<Family[]> }[]
  token: string | undefined
  production: boolean
}

/** `/metrics` for Prometheus: the summed counts of this machine's processes, and what the database says. */
export function mountMetrics(app: FastifyInstance, deps: Dependencies) {
  const { token, production } = deps
  const requests = createHistogram()
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'none'
    requests.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1000)
    done()
  })
  const ofAllProcesses = metricsOfAll(() => ofThisProcess(requests.samples(), deps))

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

function ofThisProcess(
  requests: Sample[],
  { pool, queue, stripe, cspReports, more }: Dependencies,
): Family[] {
  return [
    ...more.flatMap((room) => room.ofThisProcess?.() ?? []),
    {
      name: 'shop_http_request_seconds',
      type: 'histogram',
      help: 'How long requests took.',
      samples: requests,
    },
    {
      name: 'shop_database_connections',
      type: 'gauge',
      help: 'Database connections, and requests waiting for one.',
      samples: [
        { labels: { state: 'open' }, value: pool.totalCount },
        { labels: { state: 'idle' }, value: pool.idleCount },
        { labels: { state: 'waited_for' }, value: pool.waitingCount },
      ],
    },
    {
      name: 'shop_job_runs_total',
      type: 'counter',
      help: 'Jobs run.',
      samples: [...runsOf(queue)],
    },
    {
      name: 'shop_stripe_faults_total',
      type: 'counter',
      help: 'Requests that Stripe refused or failed, with no buyer to blame.',
      samples: [...stripe.faults].map(([type, value]) => ({ labels: { type }, value })),
    },
    {
      name: 'shop_csp_reports_total',
      type: 'counter',
      help: 'What browsers said the content policy blocked; anyone can send such a report.',
      samples: [...cspReports].map(([directive, value]) => ({ labels: { directive }, value })),
    },
    { name: 'shop_processes', type: 'gauge', help: 'Processes serving requests.', samples: [{ value: 1 }] },
    {
      name: 'process_resident_memory_bytes',
      type: 'gauge',
      help: 'Memory used by all processes.',
      samples: [{ value: process.memoryUsage.rss() }],
    },
    {
      name: 'process_start_time_seconds',
      type: 'gauge',
      help: 'When the newest process started.',
      samples: [{ value: Math.round(Date.now() / 1000 - process.uptime()) }],
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
  const up = (value: number): Family => ({
    name: 'shop_database_up',
    type: 'gauge',
    help: 'Whether the database answers.',
    samples: [{ value }],
  })
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
      { name: 'shop_jobs', type: 'gauge', help: 'Unfinished jobs.', samples: jobs('count') },
      {
        name: 'shop_job_age_seconds',
        type: 'gauge',
        help: 'How long the oldest unfinished job has been due.',
        samples: jobs('seconds'),
      },
      {
        name: 'shop_stripe_events_overdue',
        type: 'gauge',
        help: 'Unhandled Stripe events older than 15 minutes.',
        samples: [{ value: overdue }],
      },
    ]
  } catch {
    return [up(0)]
  }
}

const bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

type Labels = { method: string; route: string; status: number }

/** How long requests took, by route and status. It runs on every request, so it costs as little as it can. */
function createHistogram() {
  const series = new Map<string, { labels: Labels; counts: number[]; sum: number; count: number }>()
  return {
    observe(labels: Labels, seconds: number) {
      const key = `${labels.method} ${labels.route} ${labels.status}`
      let entry = series.get(key)
      if (!entry) series.set(key, (entry = { labels, counts: bounds.map(() => 0), sum: 0, count: 0 }))
      const { counts } = entry
      for (let index = counts.length - 1; index >= 0 && seconds <= (bounds[index] ?? 0); index--)
        counts[index] = (counts[index] ?? 0) + 1
      entry.sum += seconds
      entry.count += 1
    },
    samples: (): Sample[] =>
      [...series.values()].flatMap(({ labels, counts, sum, count }) => [
        ...counts.map((value, index) => ({
          labels: { ...labels, le: bounds[index] ?? 0 },
          value,
          suffix: '_bucket',
        })),
        { labels: { ...labels, le: '+Inf' }, value: count, suffix: '_bucket' },
        { labels, value: sum, suffix: '_sum' },
        { labels, value: count, suffix: '_count' },
      ]),
  }
}
