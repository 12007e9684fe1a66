import type pg from 'pg'
import { randomText } from './basics.ts'
import { readSandboxFile } from './files.ts'

const statements = readSandboxFile('schema.sql')

export type Keys = { secretKey: string; publishableKey: string }
type Client = Pick<pg.ClientBase, 'query'>

/** For callers that already have a transaction and rows to insert. */
export const createTables = (client: Client) => client.query(statements)

/** Creates what is missing, then fills it. The lock makes it safe for two servers that start at the same time. */
export async function prepare<Result>(database: pg.Pool, fill: (client: Client) => Promise<Result>) {
  const client = await database.connect()
  try {
    await client.query('begin')
    await client.query(`select pg_advisory_xact_lock(hashtext('sandbox schema'))`)
    await createTables(client)
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

export const prepareKeys = (database: pg.Pool, given?: Keys): Promise<Keys> =>
  prepare(database, async (client) => {
    await client.query(
      'insert into sandbox.settings (secret_key, publishable_key) values ($1, $2) on conflict do nothing',
      [
        given?.secretKey ?? `sk_test_sandbox_${randomText(32)}`,
        given?.publishableKey ?? `pk_test_sandbox_${randomText(32)}`,
      ],
    )
    const { rows } = await client.query<Keys>(
      'select secret_key as "secretKey", publishable_key as "publishableKey" from sandbox.settings',
    )
    const [keys] = rows
    if (!keys) throw new Error('The sandbox has no keys')
    return keys
  })
