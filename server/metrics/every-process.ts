import cluster, { type Worker } from 'node:cluster'
import process from 'node:process'
import { AggregatorRegistry, type MetricObjectWithValues, type MetricValue } from 'prom-client'

export type Metrics = MetricObjectWithValues<MetricValue<string>>[]

/**
 * A worker asks the primary for the sum (`all?`). The primary asks each worker (`own?`), adds up the replies (`own`)
 * and sends the sum (`all`).
 */
type Message = { metrics: 'all?' | 'own?'; id: number } | { metrics: 'all' | 'own'; id: number; values: Metrics }

const replyTimeoutMs = 1000

/** The returned function reads the metrics of all processes of this machine. */
export function metricsOfAll(readOwn: () => Promise<Metrics>): () => Promise<Metrics> {
  if (!cluster.isWorker) return readOwn
  const tell = (message: Message) => process.send?.(message)
  const pendingRequests = new Map<number, (values: Metrics) => void>()
  let lastId = 0
  process.on('message', (message: Message) => {
    if (message.metrics === 'own?') void readOwn().then((values) => tell({ metrics: 'own', id: message.id, values }))
    if (message.metrics !== 'all') return
    pendingRequests.get(message.id)?.(message.values)
    pendingRequests.delete(message.id)
  })
  return () =>
    new Promise((resolve) => {
      const id = ++lastId
      pendingRequests.set(id, resolve)
      tell({ metrics: 'all?', id })
    })
}

const addUp = (processes: Metrics[]) => AggregatorRegistry.aggregate(processes).getMetricsAsJSON()

export function relayMetrics() {
  const latestByWorker = new Map<number, Metrics>()
  const pendingRequests = new Map<number, (values: Metrics | undefined) => void>()
  // Counters of ended workers stay in the sum, because Prometheus takes a falling counter for a restart.
  const countersOfEndedWorkers: Metrics[] = []
  let lastId = 0

  const ask = (worker: Worker) =>
    new Promise<Metrics | undefined>((resolve) => {
      const id = ++lastId
      const finish = (values: Metrics | undefined) => {
        pendingRequests.delete(id)
        resolve(values)
      }
      pendingRequests.set(id, finish)
      setTimeout(finish, replyTimeoutMs, undefined).unref()
      worker.send({ metrics: 'own?', id } satisfies Message)
    })

  async function collect() {
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)
    await Promise.all(
      workers.map(async (worker) => {
        const values = worker.isConnected() ? await ask(worker) : undefined
        // The latest metrics of a worker that does not reply stay in the sum.
        if (values && !worker.isDead()) latestByWorker.set(worker.id, values)
      }),
    )
    if (countersOfEndedWorkers.length > 1) countersOfEndedWorkers.push(await addUp(countersOfEndedWorkers.splice(0)))
    return addUp([...countersOfEndedWorkers, ...latestByWorker.values()])
  }

  cluster.on('exit', ({ id }) => {
    // prom-client declares `type` as a number but sends its name.
    const counters = latestByWorker.get(id)?.filter(({ type }) => String(type) !== 'gauge')
    if (counters) countersOfEndedWorkers.push(counters)
    latestByWorker.delete(id)
  })
  cluster.on('message', (worker, message: Message) => {
    if (message.metrics === 'own') pendingRequests.get(message.id)?.(message.values)
    if (message.metrics !== 'all?') return
    void collect().then((values) => {
      if (worker.isConnected()) worker.send({ metrics: 'all', id: message.id, values } satisfies Message)
    })
  })
}
