import { createHash } from 'node:crypto'
import pg from 'pg'
import { Refusal } from '../errors.ts'

export type Locks = {
  /**
   * Holds an advisory lock on `key`. Throws a 503 after waiting 10 s; `hadToWait` if another session held it first.
   * Locks never nest, because each holds one of ten connections. Never call this in a transaction.
   */
  runExclusive<Result>(key: string, work: (hadToWait: boolean) => Promise<Result>): Promise<Result>
  close(): Promise<void>
}

const longestWaitMs = 10_000
/** Each lock holds one database session, so a process makes at most 10 calls to Stripe at a time. */
const maxHeldLocks = 10

const busyRefusal = () =>
  new Refusal(503, 'busy', 'Your last request is still being worked on. Please try again in a moment.', {
    retryAfterSeconds: 5,
  })

/** `url` must bypass a pooler in transaction mode, because advisory locks belong to a session. */
export function createLocks(url: string, onError: (error: Error) => void, waitMs = longestWaitMs): Locks {
  const pool = new pg.Pool({
    connectionString: url,
    max: maxHeldLocks,
    keepAlive: true,
    connectionTimeoutMillis: waitMs,
    idleTimeoutMillis: 10_000,
  })
  pool.on('error', onError)
  pool.on('connect', (client) => client.on('error', onError))

  const connect = () =>
    pool.connect().catch((error: unknown) => {
      throw /timeout exceeded/.test(String(error)) ? busyRefusal() : error
    })

  /** Returns `hadToWait`. */
  async function acquire(client: pg.PoolClient, id: string, deadline: number): Promise<boolean> {
    const { rows } = await client.query<{ acquired: boolean }>('select pg_try_advisory_lock($1::bigint) as acquired', [
      id,
    ])
    if (rows[0]?.acquired) return false
    const remainingMs = Math.max(1, Math.ceil(deadline - performance.now()))
    try {
      await client.query(`select set_config('lock_timeout', $1, false)`, [`${remainingMs}ms`])
      await client.query('select pg_advisory_lock($1::bigint)', [id])
      return true
    } catch (error) {
      throw (error as { code?: string }).code === lockTimeoutCode ? busyRefusal() : error
    }
  }

  return {
    async runExclusive(key, work) {
      const id = idOf(key)
      const deadline = performance.now() + waitMs
      const client = await connect()
      const hadToWait = await acquire(client, id, deadline).catch((error: unknown) => {
        const isTimeout = error instanceof Refusal
        // `true` closes the connection; after a timeout, it is still usable.
        client.release(!isTimeout)
        throw error
      })
      try {
        return await work(hadToWait)
      } finally {
        // A session that cannot unlock is ended, and its locks end with it.
        await client.query('select pg_advisory_unlock($1::bigint)', [id]).then(
          () => client.release(),
          (error: Error) => {
            client.release(true)
            onError(error)
          },
        )
      }
    },
    close: () => pool.end(),
  }
}

const lockTimeoutCode = '55P03'

/** PostgreSQL identifies advisory locks by 64-bit numbers. */
const idOf = (key: string) => createHash('sha256').update(key).digest().readBigInt64BE().toString()
