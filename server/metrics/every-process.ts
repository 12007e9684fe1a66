import cluster, { type Worker } from 'node:cluster'
import process from 'node:process'
import { addUp, type Family } from './family.ts'

/** Whichever process answers `/metrics` answers for all, through the primary: it asks each (`own?`), adds up and answers. */
type Message = { metrics: 'all?' | 'own?'; id: number } | { metrics: 'all' | 'own'; id: number; families: Family[] }

const patienceMilliseconds = 1000

/** In a process that serves: the metrics of every process on this machine. */
export function metricsOfAll(own: () => Family[]): () => Promise<Family[]> {
  if (!cluster.isWorker) return async () => own()
  const tell = (message: Message) => process.send?.(message)
  const waiting = new Map<number, (families: Family[]) => void>()
  let asked = 0
  process.on('message', (message: Message) => {
    if (message.metrics === 'own?') tell({ metrics: 'own', id: message.id, families: own() })
    if (message.metrics !== 'all') return
    waiting.get(message.id)?.(message.families)
    waiting.delete(message.id)
  })
  return () =>
    new Promise((resolve) => {
      const id = ++asked
      waiting.set(id, resolve)
      tell({ metrics: 'all?', id })
    })
}

/** In the primary. */
export function relayMetrics() {
  const latest = new Map<number, Family[]>()
  const waiting = new Map<number, (families: Family[] | undefined) => void>()
  // A counter must not drop because a process is gone: Prometheus would take that for a restart of them all.
  let departed: Family[] = []
  let asked = 0

  const ask = (worker: Worker) =>
    new Promise<Family[] | undefined>((resolve) => {
      const id = ++asked
      const answer = (families: Family[] | undefined) => {
        waiting.delete(id)
        resolve(families)
      }
      waiting.set(id, answer)
      setTimeout(answer, patienceMilliseconds, undefined).unref()
      worker.send({ metrics: 'own?', id } satisfies Message)
    })

  async function collect() {
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)
    await Promise.all(
      workers.map(async (worker) => {
        const families = worker.isConnected() ? await ask(worker) : undefined
        // A process that hangs counts as it last answered.
        if (families && !worker.isDead()) latest.set(worker.id, families)
      }),
    )
    return addUp([departed, ...latest.values()])
  }

  cluster.on('exit', ({ id }) => {
    const counted = latest.get(id)?.filter(({ type }) => type !== 'gauge')
    if (counted) departed = addUp([departed, counted])
    latest.delete(id)
  })
  cluster.on('message', (worker, message: Message) => {
    if (message.metrics === 'own') waiting.get(message.id)?.(message.families)
    if (message.metrics !== 'all?') return
    void collect().then((families) => {
      if (worker.isConnected()) worker.send({ metrics: 'all', id: message.id, families } satisfies Message)
    })
  })
}
