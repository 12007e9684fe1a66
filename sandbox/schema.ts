import type pg from 'pg'
import { randomText } from './basics.ts'
import { readSandboxFile } from './files.ts'

const statements = readSandboxFile('schema.sql')

export type Keys = { secretKey: string; publishableKey: string }
type Client = Pick<pg.ClientBase, 'query'>

/** Runs in the caller's transaction. */
export const createTables = (client: Client) => client.query(statements)

/**
 * An advisory lock makes two servers that start together take turns. Statements like `create index if not exists` would
 * lock existing tables, which ended in a deadlock with a server that was running already.
 */
export async function prepareTables<Result>(database: pg.Pool, fill: (client: Client) => Promise<Result>) {
  const client = await database.connect()
  try {
    await client.query('begin')
    await client.query(`select pg_advisory_xact_lock(hashtext('sandbox schema'))`)
    const { rows } = await client.query<{ isNew: boolean }>(`select to_regnamespace('sandbox') is null as "isNew"`)
    if (rows[0]?.isNew) await createTables(client)
    const result = await fill(client)
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback')
    throw error
  } finally {
    client.release()
  }
}

export const prepareKeys = (database: pg.Pool, initialKeys?: Keys): Promise<Keys> =>
  prepareTables(database, async (client) => {
    await client.query(
      'insert into sandbox.settings (secret_key, publishable_key) values ($1, $2) on conflict do nothing',
      [
        initialKeys?.secretKey ?? `sk_test_sandbox_${randomText(32)}`,
        initialKeys?.publishableKey ?? `pk_test_sandbox_${randomText(32)}`,
      ],
    )
    const { rows } = await client.query<Keys>(
      'select secret_key as "secretKey", publishable_key as "publishableKey" from sandbox.settings',
    )
    const [keys] = rows
    if (!keys) throw new Error('The sandbox has no keys')
    return keys
  })
