import { createHash } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { jobsSchema } from './schema.ts'

/** Channel of pg-boss's notifications; the payload is the name of the committed job's kind. */
const channel = `pgboss_${createHash('sha224').update(jobsSchema).digest('hex').slice(0, 24)}`

/** pg-boss's own listener would end the process: it removes its error handler, and a pooler may send a second error. */
export function listen(url: string, onJob: (name: string) => void) {
  let client: pg.Client | undefined
  let isOpen = true

  async function listenOnce() {
    const newClient = new pg.Client({ connectionString: url, keepAlive: true, application_name: 'shop jobs' })
    client = newClient
    newClient.on('error', () => undefined)
    newClient.on('notification', ({ payload = '' }) => onJob(payload))
    // Not `once` of node:events, which rejects with the connection's error before anyone awaits it.
    const ended = new Promise((resolve) => newClient.once('end', resolve))
    await newClient.connect()
    await newClient.query(`listen ${channel}`)
    await ended
  }

  async function keepListening() {
    while (isOpen) {
      await listenOnce().catch(() => client?.end())
      // Workers also poll, so jobs run while this connection is down.
      if (isOpen) await setTimeout(1000, undefined, { ref: false })
    }
  }

  void keepListening()
  return async () => {
    isOpen = false
    await client?.end()
  }
}
