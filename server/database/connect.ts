import type { ExtractTablesWithRelations } from 'drizzle-orm'
import { drizzle, type NodePgDatabase, type NodePgTransaction } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import { StartError } from '../errors.ts'

export type Database = NodePgDatabase
/** What a transaction gives: hand it to everything that must commit together. */
export type Transaction = NodePgTransaction<
  Record<string, never>,
  ExtractTablesWithRelations<Record<string, never>>
>

export type Connection = { url: string; pool: pg.Pool; db: Database; close(): Promise<void> }

/** Waits are bounded, so that a frozen database costs a visitor seconds, not minutes. */
export function connect(url: string, onError: (error: Error) => void): Connection {
  const pool = new pg.Pool({
    connectionString: url,
    max: 10,
    connectionTimeoutMillis: 3000,
    query_timeout: 4000,
    statement_timeout: 4000,
    idle_in_transaction_session_timeout: 10_000,
    keepAlive: true,
  })
  pool.on('error', onError)
  // The pool listens only to connections at rest; one that breaks in the middle of a transaction must not end the process.
  pool.on('connect', (client) => client.on('error', onError))
  const db = drizzle(pool, { casing: 'snake_case' })
  db.transaction = transactionOn(pool)
  return { url, pool, db, close: () => pool.end() }
}

/** Drizzle's own keeps a connection for ever when `begin` fails, and gives one back that is stuck in a transaction. */
function transactionOn(pool: pg.Pool): Database['transaction'] {
  return async (work, config) => {
    const client = await pool.connect()
    try {
      const result = await drizzle(client, { casing: 'snake_case' }).transaction(work, config)
      client.release()
      return result
    } catch (error) {
      client.release(isDatabaseAway(error) || client.getTransactionStatus() !== 'I')
      throw error
    }
  }
}

export async function assertReachable(pool: pg.Pool, url: string) {
  const { hostname, port, pathname } = new URL(url)
  const where = `${hostname}:${port || 5432}${pathname}`
  try {
    const { rows } = await pool.query<{ version: number }>(
      `select current_setting('server_version_num')::int as version`,
    )
    if ((rows[0]?.version ?? 0) < 150_000)
      throw new StartError(`The PostgreSQL at ${where} is older than 15. Please use 15 or newer.`)
  } catch (error) {
    if (error instanceof StartError) throw error
    const reason =
      error instanceof AggregateError ? error.errors.map(String).join(', ') : (error as Error).message
    throw new StartError(`Cannot reach the PostgreSQL at ${where}: ${reason}. Check DATABASE_URL.`)
  }
}

/** Drizzle wraps what PostgreSQL said. */
function causeOf(error: unknown): { cause?: Error; code: string } {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return cause instanceof Error ? { cause, code: (cause as { code?: string }).code ?? '' } : { code: '' }
}

/** True for a statement that took too long, waited too long or stood in another's way: it may be tried again. */
export const isDatabaseBusy = (error: unknown) => /^(57014|55P03|40001|40P01)$/.test(causeOf(error).code)

/** True for an error that says "the database is away", not "the statement was wrong". */
export function isDatabaseAway(error: unknown): boolean {
  const { cause, code } = causeOf(error)
  if (!cause) return false
  return (
    /^(08|57P|53)/.test(code) ||
    ['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EPIPE', 'ETIMEDOUT'].includes(code) ||
    /Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error/.test(
      cause.message,
    )
  )
}
