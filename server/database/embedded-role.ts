import { createHash } from 'node:crypto'
import pg from 'pg'

/** The first user may read files and run programs. The shop uses this one, which owns its database and nothing else. */
const role = 'storefront'
/** The first user has always had this name; an older version of the shop still logs in with it. */
const superuser = 'shop'
const database = 'shop'

/** Any number will do: two shops may open the same PostgreSQL at the same time. */
const lock = 7_381_920_115

/** `socket` is the folder of its Unix socket, if the system has any: cheaper than TCP. */
export type Server = { port: number; password: string; socket: string | undefined }

/** Does not give away the first user's password. */
const passwordOf = (password: string) => createHash('sha256').update(`${role} ${password}`).digest('hex')

function address({ port, socket }: Server, user: string, password: string, name: string) {
  const url = `postgres://${user}:${password}@127.0.0.1:${port}/${name}`
  return socket ? `${url}?host=${encodeURIComponent(socket)}` : url
}

export const superuserUrl = (server: Server, name = 'postgres') => address(server, superuser, server.password, name)

export const shopUrl = (server: Server) => address(server, role, passwordOf(server.password), database)

/** Creates the role and database if missing, and hands the shop whatever an older version created. */
export async function prepareRole(server: Server) {
  await asSuperuser(server, 'postgres', async (client) => {
    await client.query('select pg_advisory_lock($1)', [lock])
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
  await asSuperuser(server, database, async (client) => {
    await client.query('select pg_advisory_lock($1)', [lock])
    const { rows } = await client.query<{ statement: string }>(handOver, [role, superuser])
    if (rows.length === 0) return
    await client.query('begin')
    for (const { statement } of rows) await client.query(statement)
    await client.query('commit')
  })
}

/** One by one, because `reassign owned` refuses the first user. Dependent objects follow; what an extension brought stays. */
const handOver = `
with ours as (
  select oid, nspname from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema'
), theirs as (select oid from pg_roles where rolname = $2), brought as (
  select objid, classid from pg_depend where deptype = 'e'
)
select format('alter database %I owner to %I', datname, $1::text) as statement
from pg_database where datname = current_database() and datdba in (select oid from theirs)
union all
select format('alter schema %I owner to %I', nspname, $1::text)
from pg_namespace where oid in (select oid from ours) and nspowner in (select oid from theirs)
union all
select format('alter %s %I.%I owner to %I',
  case relkind when 'v' then 'view' when 'm' then 'materialized view' when 'S' then 'sequence' else 'table' end,
  nspname, relname, $1::text)
from pg_class c join ours on ours.oid = relnamespace
where relowner in (select oid from theirs) and relkind in ('r', 'p', 'v', 'm', 'S')
  and not exists (select from pg_depend where objid = c.oid and classid = 'pg_class'::regclass and deptype in ('a', 'i', 'e')
    and relkind = 'S')
  and (c.oid, 'pg_class'::regclass) not in (select objid, classid from brought)
union all
select format('alter routine %s owner to %I', p.oid::regprocedure, $1::text)
from pg_proc p join ours on ours.oid = pronamespace
where proowner in (select oid from theirs) and (p.oid, 'pg_proc'::regclass) not in (select objid, classid from brought)
union all
select format('alter type %s owner to %I', t.oid::regtype, $1::text)
from pg_type t join ours on ours.oid = typnamespace
where typowner in (select oid from theirs) and typtype in ('e', 'd', 'r')
  and (t.oid, 'pg_type'::regclass) not in (select objid, classid from brought)`

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
