import { timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Pool } from 'pg'
import { AggregatorRegistry, type Counter, Gauge, Histogram, type Metric, Registry } from 'prom-client'
import { notFound } from '../errors.ts'
import type { StripeGateway } from '../gateways/stripe.ts'
import { isFromThisMachine } from '../http/this-machine.ts'
import type { Queue } from '../jobs/queue.ts'
import { metricsOfAll } from './every-process.ts'
import { gauge } from './gauge.ts'

type Dependencies = {
  pool: Pool
  queue: Queue
  stripe: Pick<StripeGateway, 'faults'>
  overdueEvents: () => Promise<number>
  cspReports: Counter
  moduleMeasures: { ofThisProcess?: Metric[]; ofTheDatabase(): Promise<Metric[]> }[]
  token: string | undefined
  production: boolean
}

/** Sums the metrics of this machine's processes and adds figures from the database. */
export function mountMetrics(app: FastifyInstance, deps: Dependencies) {
  const { token, production } = deps
  const requests = new Histogram({
    name: 'shop_http_request_seconds',
    help: 'How long requests took.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [],
  })
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'none'
    requests.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1000)
  })
  const ofThisProcess = registryOf([requests, ...metricsOfThisProcess(deps)])
  const ofAllProcesses = metricsOfAll(() => ofThisProcess.getMetricsAsJSON())

  app.get('/metrics', { config: { perMinute: false } }, async (request, reply) => {
    // In production, a proxy on the same machine may pass strangers through, so only the token counts.
    const isTrusted = token ? hasToken(request, token) : !production && isFromThisMachine(request.raw)
    if (!isTrusted) throw notFound('Page')
    const [processMetrics, databaseMetrics] = await Promise.all([ofAllProcesses(), metricsOfTheDatabase(deps)])
    const texts = [
      await AggregatorRegistry.aggregate([processMetrics]).metrics(),
      await registryOf(databaseMetrics).metrics(),
    ]
    return reply.type(Registry.PROMETHEUS_CONTENT_TYPE).header('cache-control', 'no-store').send(texts.join('\n'))
  })
}

function registryOf(metrics: Metric[]) {
  const registry = new Registry()
  for (const metric of metrics) registry.registerMetric(metric)
  return registry
}

function hasToken({ headers }: FastifyRequest, token: string) {
  const received = Buffer.from(headers.authorization ?? '')
  const expected = Buffer.from(`Bearer ${token}`)
  return received.length === expected.length && timingSafeEqual(received, expected)
}

function metricsOfThisProcess({ pool, queue, stripe, cspReports, moduleMeasures }: Dependencies): Metric[] {
  return [
    ...moduleMeasures.flatMap((module) => module.ofThisProcess ?? []),
    queue.runs,
    stripe.faults,
    cspReports,
    new Gauge({
      name: 'shop_database_connections',
      help: 'Database connections, and requests waiting for one.',
      labelNames: ['state'],
      registers: [],
      collect() {
        this.set({ state: 'open' }, pool.totalCount)
        this.set({ state: 'idle' }, pool.idleCount)
        this.set({ state: 'waited_for' }, pool.waitingCount)
      },
    }),
    gauge('shop_processes', 'Processes serving requests.', 1),
    new Gauge({
      name: 'process_resident_memory_bytes',
      help: 'Memory used by all processes.',
      registers: [],
      collect() {
        this.set(process.memoryUsage.rss())
      },
    }),
    new Gauge({
      name: 'process_start_time_seconds',
      help: 'When the newest process started.',
      registers: [],
      aggregator: 'max',
      collect() {
        this.set(Math.round(Date.now() / 1000 - process.uptime()))
      },
    }),
  ]
}

/** Every process reads the same figures, so they are not summed. Without the database, only `shop_database_up 0`. */
async function metricsOfTheDatabase({ queue, overdueEvents, moduleMeasures }: Dependencies): Promise<Metric[]> {
  const databaseUp = (value: number) => gauge('shop_database_up', 'Whether the database answers.', value)
  try {
    const [depths, overdue, moduleMetrics] = await Promise.all([
      queue.depths(),
      overdueEvents(),
      Promise.all(moduleMeasures.map((module) => module.ofTheDatabase())),
    ])
    const jobSamples = (field: 'count' | 'seconds') =>
      depths.map(({ name, state, ...numbers }) => ({ labels: { kind: name, state }, value: numbers[field] }))
    return [
      databaseUp(1),
      ...moduleMetrics.flat(),
      gauge('shop_jobs', 'Unfinished jobs.', jobSamples('count')),
      gauge('shop_job_age_seconds', 'How long the oldest unfinished job has been due.', jobSamples('seconds')),
      gauge('shop_stripe_events_overdue', 'Unhandled Stripe events older than 15 minutes.', overdue),
    ]
  } catch {
    return [databaseUp(0)]
  }
}
