import { createHash } from 'node:crypto'
import pg from 'pg'

/** Role of the shop, which owns only its database. It is no superuser, who could read files and run programs. */
const role = 'storefront'
const superuser = 'shop'
const database = 'shop'

/** Arbitrary; serializes processes that open the same PostgreSQL. */
const preparationLock = 7_381_920_115

/** `socket` is the folder of the Unix socket, which is faster than TCP; undefined if there is none. */
export type Server = { port: number; password: string; socket: string | undefined }

/** Password of the shop's role, derived from the superuser's without revealing it. */
const passwordOf = (password: string) => createHash('sha256').update(`${role} ${password}`).digest('hex')

function address({ port, socket }: Server, user: string, password: string, databaseName: string) {
  const url = `postgres://${user}:${password}@127.0.0.1:${port}/${databaseName}`
  return socket ? `${url}?host=${encodeURIComponent(socket)}` : url
}

export const superuserUrl = (server: Server, name = 'postgres') => address(server, superuser, server.password, name)

export const shopUrl = (server: Server) => address(server, role, passwordOf(server.password), database)

export async function prepareRole(server: Server) {
  await asSuperuser(server, 'postgres', async (client) => {
    await client.query('select pg_advisory_lock($1)', [preparationLock])
    const { rows } = await client.query<{ role: boolean; database: boolean }>(
      `select exists (select from pg_roles where rolname = $1) as role,
         exists (select from pg_database where datname = $2) as database`,
      [role, database],
    )
    if (!rows[0]?.role) {
      const password = client.escapeLiteral(passwordOf(server.password))
      await client.query(`create role ${role} login password ${password}`)
    }
    if (!rows[0]?.database) await client.query(`create database ${database} owner ${role}`)
  })
}

export async function asSuperuser<Result>(
  server: Server,
  name: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString: superuserUrl(server, name), connectionTimeoutMillis: 2000 })
  await client.connect()
  try {
    return await work(client)
  } finally {
    // Ends the session, and with it the lock and any uncommitted transaction.
    await client.end().catch(() => undefined)
  }
}
