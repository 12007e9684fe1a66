import type { ExtractTablesWithRelations } from 'drizzle-orm'
import { drizzle, type NodePgDatabase, type NodePgTransaction } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import { StartError } from '../errors.ts'
import { createLocks, type Locks } from './locks.ts'

export type Database = NodePgDatabase
export type Transaction = NodePgTransaction<Record<string, never>, ExtractTablesWithRelations<Record<string, never>>>

export type Connection = {
  /** Address of PostgreSQL without a pooler in between, for work that needs its own session. */
  url: string
  /** Address for long exports: the replica, or `url` if there is none. */
  readUrl: string
  pool: pg.Pool
  db: Database
  locks: Locks
  close(): Promise<void>
}

/** In ms. An unresponsive database costs a visitor seconds, not minutes. */
const clientTimeouts = { connectionTimeoutMillis: 3000, query_timeout: 4000 }
/** In ms, enforced by PostgreSQL itself. */
const sessionTimeouts = { statement_timeout: 4000, idle_in_transaction_session_timeout: 10_000 }
const maxTransactionTries = 5

/** Codes of PostgreSQL. */
const insufficientPrivilege = '42501'
const serializationFailureOrDeadlock = /^(40001|40P01)$/
const cancelledOrLocked = /^(57014|55P03)$/
const connectionLostOrRefused = /^(08|57P|53)/

type ConnectOptions = {
  directUrl?: string | undefined
  replicaUrl?: string | undefined
  lockWaitMs?: number | undefined
}

export function connect(
  url: string,
  onError: (error: Error) => void,
  { directUrl, replicaUrl, lockWaitMs }: ConnectOptions = {},
): Connection {
  // With a direct URL, `url` is the address of a pooler, which does not pass on settings of a session.
  const timeouts = directUrl ? clientTimeouts : { ...clientTimeouts, ...sessionTimeouts }
  const pool = new pg.Pool({ connectionString: url, max: 10, keepAlive: true, ...timeouts })
  pool.on('error', onError)
  // The pool only listens on idle connections; one that breaks mid-transaction must not end the process.
  pool.on('connect', (client) => client.on('error', onError))
  const db = drizzle(pool, { casing: 'snake_case' })
  db.transaction = transactionOn(pool)
  const unpooledUrl = directUrl ?? url
  const locks = createLocks(unpooledUrl, onError, lockWaitMs)
  const close = async () => void (await Promise.all([pool.end(), locks.close()]))
  return { url: unpooledUrl, readUrl: replicaUrl ?? unpooledUrl, pool, db, locks, close }
}

/** Replaces Drizzle's, which leaks a connection if `begin` fails and returns stuck connections to the pool. */
function transactionOn(pool: pg.Pool): Database['transaction'] {
  return (work, config) =>
    retryOnConflict(async () => {
      const client = await pool.connect()
      try {
        const result = await drizzle(client, { casing: 'snake_case' }).transaction(work, config)
        client.release()
        return result
      } catch (error) {
        // `true` closes the connection instead of returning it to the pool. Status I means no open transaction.
        client.release(isDatabaseAway(error) || client.getTransactionStatus() !== 'I')
        throw error
      }
    })
}

export async function assertReachable(pool: Pick<pg.Pool, 'query'>, url: string) {
  try {
    const { rows } = await pool.query<{ version: number }>(
      `select current_setting('server_version_num')::int as version`,
    )
    if ((rows[0]?.version ?? 0) < 150_000)
      throw new StartError(`The PostgreSQL at ${placeOf(url)} is older than 15. Please use 15 or newer.`)
  } catch (error) {
    throw error instanceof StartError ? error : unreachable(url, error, 'DATABASE_URL')
  }
}

const placeOf = (url: string) => {
  const { hostname, port, pathname } = new URL(url)
  return `${hostname}:${port || 5432}${pathname}`
}

export function unreachable(url: string, error: unknown, setting: string) {
  const reason = error instanceof AggregateError ? error.errors.map(String).join(', ') : (error as Error).message
  return new StartError(`Cannot reach the PostgreSQL at ${placeOf(url)}: ${reason}. Check ${setting}.`)
}

/** Granting `all privileges` on the database does not cover the public schema. */
export function explainMissingRights(url: string, error: unknown) {
  const { cause, code } = causeOf(error)
  if (code !== insufficientPrivilege) return error
  const { username, pathname } = new URL(url)
  const [role, database] = [username, pathname.slice(1)].map((name) => `"${decodeURIComponent(name)}"`)
  return new StartError(
    `The role ${role} lacks rights in its database (${cause?.message}). As PostgreSQL’s superuser: ALTER DATABASE ${database} OWNER TO ${role};`,
  )
}

export function causeOf(error: unknown): { cause?: Error; code: string } {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return cause instanceof Error ? { cause, code: (cause as { code?: string }).code ?? '' } : { code: '' }
}

/** True after a timeout or a conflict, so that a retry may succeed. */
export function isDatabaseBusy(error: unknown) {
  const { code } = causeOf(error)
  return cancelledOrLocked.test(code) || serializationFailureOrDeadlock.test(code)
}

async function retryOnConflict<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++)
    try {
      return await work()
    } catch (error) {
      const isConflict = serializationFailureOrDeadlock.test(causeOf(error).code)
      if (tries === maxTransactionTries || !isConflict) throw error
    }
}

/** True if the database could not be reached, as opposed to a statement that failed. */
export function isDatabaseAway(error: unknown): boolean {
  const { cause, code } = causeOf(error)
  if (!cause) return false
  return (
    connectionLostOrRefused.test(code) ||
    ['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EPIPE', 'ETIMEDOUT'].includes(code) ||
    /connect ENOENT|Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error/.test(
      cause.message,
    )
  )
}
