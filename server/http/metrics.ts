import cluster from 'node:cluster'
import { timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Pool } from 'pg'
import { notFound } from '../errors.ts'
import type { StripeGateway } from '../gateways/stripe.ts'
import type { Queue } from '../jobs/queue.ts'
import { isFromThisMachine } from './this-machine.ts'

/**
 * `/metrics` in Prometheus' text format, by hand: one histogram and a few numbers need no library.
 * With several processes each answers for itself, and says which it is.
 */

type Labels = Record<string, string | number>
type Sample = { labels?: Labels; value: number; suffix?: string }
type Dependencies = {
  pool: Pool
  queue: Queue
  stripe: Pick<StripeGateway, 'faults'>
  token: string | undefined
  production: boolean
}

const which: Labels = cluster.worker ? { process: cluster.worker.id } : {}
const bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

export function mountMetrics(app: FastifyInstance, deps: Dependencies) {
  const { pool, queue, stripe, token, production } = deps
  const requests = createHistogram()
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'none'
    requests.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1000)
    done()
  })

  app.get('/metrics', { config: { rateLimit: false } }, async (request, reply) => {
    // In production a proxy on the same machine may hand strangers on: there only the token counts.
    const isTrusted = token ? hasToken(request, token) : !production && isFromThisMachine(request.raw)
    // To everyone else it is as if it were not there.
    if (!isTrusted) throw notFound('Page')
    const depths = await queue.depths().catch(() => undefined)
    return reply
      .type('text/plain; version=0.0.4; charset=utf-8')
      .header('cache-control', 'no-store')
      .send(
        [
          metric('shop_http_request_seconds', 'histogram', 'How long requests took.', requests.samples()),
          metric('shop_database_up', 'gauge', 'Whether the database answers.', [{ value: depths ? 1 : 0 }]),
          metric(
            'shop_database_connections',
            'gauge',
            'Connections of this process, and who waits for one.',
            [
              { labels: { state: 'open' }, value: pool.totalCount },
              { labels: { state: 'idle' }, value: pool.idleCount },
              { labels: { state: 'waited_for' }, value: pool.waitingCount },
            ],
          ),
          metric('shop_jobs', 'gauge', 'Jobs that are not done, of all processes.', of(depths, 'count')),
          metric(
            'shop_job_age_seconds',
            'gauge',
            'How long the oldest of them has been due.',
            of(depths, 'seconds'),
          ),
          metric('shop_job_runs_total', 'counter', 'Jobs that this process ran.', [...runsOf(queue)]),
          metric(
            'shop_stripe_faults_total',
            'counter',
            'What Stripe refused or failed to do, no buyer being to blame.',
            [...stripe.faults].map(([type, value]) => ({ labels: { type }, value })),
          ),
          metric('process_resident_memory_bytes', 'gauge', 'Memory of this process.', [
            { value: process.memoryUsage.rss() },
          ]),
          metric('process_start_time_seconds', 'gauge', 'When this process began.', [
            { value: Math.round(Date.now() / 1000 - process.uptime()) },
          ]),
        ].join(''),
      )
  })
}

function hasToken({ headers }: FastifyRequest, token: string) {
  const [given, right] = [Buffer.from(headers.authorization ?? ''), Buffer.from(`Bearer ${token}`)]
  return given.length === right.length && timingSafeEqual(given, right)
}

type Depths = Awaited<ReturnType<Queue['depths']>>
const of = (depths: Depths = [], field: 'count' | 'seconds'): Sample[] =>
  depths.map(({ name, state, ...numbers }) => ({ labels: { job: name, state }, value: numbers[field] }))

function* runsOf(queue: Queue): Generator<Sample> {
  for (const [job, { succeeded, failed }] of queue.runs) {
    yield { labels: { job, result: 'succeeded' }, value: succeeded }
    yield { labels: { job, result: 'failed' }, value: failed }
  }
}

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

function metric(name: string, type: 'gauge' | 'counter' | 'histogram', help: string, samples: Sample[]) {
  const lines = samples.map(({ labels = {}, value, suffix = '' }) => {
    const pairs = Object.entries({ ...which, ...labels }).map(
      ([label, text]) => `${label}="${escape(String(text))}"`,
    )
    return `${name}${suffix}${pairs.length > 0 ? `{${pairs.join()}}` : ''} ${value}`
  })
  return `${[`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines].join('\n')}\n`
}

const escape = (text: string) => text.replaceAll(/[\\"]/g, String.raw`\$&`).replaceAll('\n', String.raw`\n`)
