import { createHash } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { jobsSchema } from './schema.ts'

/** Where pg-boss says which kind of job was committed. */
const channel = `pgboss_${createHash('sha224').update(jobsSchema).digest('hex').slice(0, 24)}`

/**
 * Tells of each job that is committed, by this process or another. pg-boss has a listener, too, but takes its error handler off
 * a connection that failed: a pooler without PostgreSQL sends a second error, which would end the process.
 */
export function listen(url: string, onJob: (name: string) => void) {
  let client: pg.Client | undefined
  let isOpen = true

  async function listenOnce() {
    const opened = new pg.Client({ connectionString: url, keepAlive: true, application_name: 'shop jobs' })
    client = opened
    opened.on('error', () => undefined)
    opened.on('notification', ({ payload = '' }) => onJob(payload))
    // Not `once` of node:events, which rejects with the connection's error before anyone awaits it.
    const ended = new Promise((resolve) => opened.once('end', resolve))
    await opened.connect()
    await opened.query(`listen ${channel}`)
    await ended
  }

  async function keepListening() {
    while (isOpen) {
      await listenOnce().catch(() => client?.end())
      // Meanwhile workers look by themselves.
      if (isOpen) await setTimeout(1000, undefined, { ref: false })
    }
  }

  void keepListening()
  return async () => {
    isOpen = false
    await client?.end()
  }
}
