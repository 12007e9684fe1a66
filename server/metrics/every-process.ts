import cluster, { type Worker } from 'node:cluster'
import process from 'node:process'
import { AggregatorRegistry, type MetricObjectWithValues, type MetricValue } from 'prom-client'

export type Metrics = MetricObjectWithValues<MetricValue<string>>[]

/** Whichever process answers `/metrics` answers for all, through the primary: it asks each (`own?`), adds up and answers. */
type Message = { metrics: 'all?' | 'own?'; id: number } | { metrics: 'all' | 'own'; id: number; values: Metrics }

const patienceMs = 1000

/** In a process that serves: the metrics of every process on this machine. */
export function metricsOfAll(own: () => Promise<Metrics>): () => Promise<Metrics> {
  if (!cluster.isWorker) return own
  const tell = (message: Message) => process.send?.(message)
  const waiting = new Map<number, (values: Metrics) => void>()
  let asked = 0
  process.on('message', (message: Message) => {
    if (message.metrics === 'own?') void own().then((values) => tell({ metrics: 'own', id: message.id, values }))
    if (message.metrics !== 'all') return
    waiting.get(message.id)?.(message.values)
    waiting.delete(message.id)
  })
  return () =>
    new Promise((resolve) => {
      const id = ++asked
      waiting.set(id, resolve)
      tell({ metrics: 'all?', id })
    })
}

const addUp = (processes: Metrics[]) => AggregatorRegistry.aggregate(processes).getMetricsAsJSON()

/** In the primary. */
export function relayMetrics() {
  const latest = new Map<number, Metrics>()
  const waiting = new Map<number, (values: Metrics | undefined) => void>()
  // A counter must not drop because a process is gone: Prometheus would take that for a restart of them all.
  const departed: Metrics[] = []
  let asked = 0

  const ask = (worker: Worker) =>
    new Promise<Metrics | undefined>((resolve) => {
      const id = ++asked
      const answer = (values: Metrics | undefined) => {
        waiting.delete(id)
        resolve(values)
      }
      waiting.set(id, answer)
      setTimeout(answer, patienceMs, undefined).unref()
      worker.send({ metrics: 'own?', id } satisfies Message)
    })

  async function collect() {
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)
    await Promise.all(
      workers.map(async (worker) => {
        const values = worker.isConnected() ? await ask(worker) : undefined
        // A process that hangs counts as it last answered.
        if (values && !worker.isDead()) latest.set(worker.id, values)
      }),
    )
    if (departed.length > 1) departed.push(await addUp(departed.splice(0)))
    return addUp([...departed, ...latest.values()])
  }

  cluster.on('exit', ({ id }) => {
    // Strings, because prom-client exports its types as numbers but sends names.
    const counted = latest.get(id)?.filter(({ type }) => String(type) !== 'gauge')
    if (counted) departed.push(counted)
    latest.delete(id)
  })
  cluster.on('message', (worker, message: Message) => {
    if (message.metrics === 'own') waiting.get(message.id)?.(message.values)
    if (message.metrics !== 'all?') return
    void collect().then((values) => {
      if (worker.isConnected()) worker.send({ metrics: 'all', id: message.id, values } satisfies Message)
    })
  })
}
