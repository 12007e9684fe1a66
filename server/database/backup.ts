import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import pg from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import { StartError } from '../errors.ts'

/**
 * A backup is plain text, as pg_dump writes data: `COPY … FROM stdin;`, rows, `\.`, and behind each table a line with
 * its checksum. It holds the rows, not the schema: that is the shop's own, in migrations/.
 */
const schemas = ['public', 'jobs', 'sandbox']

type Table = { name: string; columns: string; order: string }

/** Safe while the shop runs: everything is read from one snapshot. */
export async function backup(url: string, out: Writable): Promise<{ tables: number; rows: number }> {
  return withClient(url, async (client) => {
    await client.query('begin isolation level repeatable read read only')
    const tables = await tablesOf(client)
    await write(out, `-- backup of the shop, schema ${await schemaVersion(client)}\n`)
    let rows = 0
    for (const table of tables) {
      await write(out, `COPY ${table.name} (${table.columns}) FROM stdin;\n`)
      const sum = await copyOut(client, table, (chunk) => write(out, chunk))
      await write(out, `\\.\n-- ${sum.rows} rows of ${table.name}, sha256 ${sum.sha256}\n`)
      rows += sum.rows
    }
    await client.query('commit')
    return { tables: tables.length, rows }
  })
}

/** Into a database that this version of the shop has migrated. All or nothing, and compared row for row by checksum. */
export async function restore(url: string, source: Readable): Promise<{ tables: number; rows: number }> {
  return withClient(url, async (client) => {
    await client.query('begin')
    // What triggers.sql derives is in the backup too.
    await client.query(`set local shop.restoring = 'on'`)
    const tables = new Map((await tablesOf(client)).map((table) => [table.name, table]))
    await client.query(`truncate ${[...tables.keys()].join(', ')} cascade`)
    const promised = await copyIn(client, source, tables)
    let rows = 0
    for (const [name, sum] of promised) {
      const found = await copyOut(client, tables.get(name), () => undefined)
      if (found.sha256 !== sum.sha256)
        throw new StartError(`${name} came back different: the backup is damaged, nothing was changed.`)
      rows += found.rows
    }
    await resetSequences(client)
    await client.query('commit')
    return { tables: promised.size, rows }
  })
}

type Sum = { rows: number; sha256: string }

async function copyOut(
  client: pg.Client,
  table: Table | undefined,
  take: (chunk: Buffer) => unknown,
): Promise<Sum> {
  if (!table) throw new StartError('The backup has a table that this version of the shop does not know.')
  const hash = createHash('sha256')
  const stream = client.query(
    copyTo(`COPY (select ${table.columns} from ${table.name} order by ${table.order}) TO STDOUT`),
  )
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    hash.update(chunk)
    await take(chunk)
  }
  return { rows: stream.rowCount, sha256: hash.digest('hex') }
}

/** Reads a backup line by line, and answers what each table must come to. */
async function copyIn(
  client: pg.Client,
  source: Readable,
  tables: Map<string, Table>,
): Promise<Map<string, Sum>> {
  const promised = new Map<string, Sum>()
  let into: { table: Writable; done: Promise<void> } | undefined
  let first = true
  for await (const line of createInterface({ input: source, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (first) {
      const version = await schemaVersion(client)
      if (!line.endsWith(`, schema ${version}`)) {
        throw new StartError(
          `This is no backup of this version of the shop (schema ${version}). Restore it with the version that wrote it, then upgrade.`,
        )
      }
      first = false
    } else if (into) {
      if (line === '\\.') {
        into.table.end()
        await into.done
        into = undefined
      } else await Promise.race([write(into.table, `${line}\n`), into.done])
    } else if (line.startsWith('COPY ')) {
      const name = line.split(' ')[1] ?? ''
      if (!tables.has(name))
        throw new StartError(`The backup has a table that this version of the shop does not know: ${name}`)
      const table = client.query(copyFrom(line.replace(/;$/, '').replace(/stdin$/, 'STDIN')))
      const done = finished(table)
      // Awaited at the table's end; a backup that breaks off before has its own words.
      done.catch(() => undefined)
      into = { table, done }
    } else {
      const [, rows, name, sha256] = /^-- (\d+) rows of (\S+), sha256 (\w+)$/.exec(line) ?? []
      if (name && sha256) promised.set(name, { rows: Number(rows), sha256 })
    }
  }
  if (into || promised.size !== tables.size)
    throw new StartError('The backup ends too early: nothing was changed.')
  return promised
}

/** Every table of ours with its plain columns, those that others refer to first. */
async function tablesOf(client: pg.Client): Promise<Table[]> {
  const { rows } = await client.query<Table & { oid: string; needs: string[] }>(
    `select c.oid::text, format('%I.%I', n.nspname, c.relname) as name,
       (select string_agg(quote_ident(attname), ', ' order by attnum) from pg_attribute
         where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns,
       coalesce((select string_agg(quote_ident(a.attname), ', ' order by k.place) from pg_index i
         cross join unnest(i.indkey) with ordinality as k(attnum, place)
         join pg_attribute a on a.attrelid = c.oid and a.attnum = k.attnum
         where i.indrelid = c.oid and i.indisprimary), '1') as "order",
       array(select confrelid::text from pg_constraint where contype = 'f' and conrelid = c.oid and confrelid <> c.oid) as needs
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = any($1) and c.relkind in ('r', 'p') and not c.relispartition order by 2`,
    [schemas],
  )
  const done = new Set<string>()
  const sorted: Table[] = []
  while (sorted.length < rows.length) {
    const next = rows.find((row) => !done.has(row.oid) && row.needs.every((need) => done.has(need)))
    if (!next) throw new Error('The tables refer to each other in a circle')
    done.add(next.oid)
    sorted.push(next)
  }
  return sorted
}

async function schemaVersion(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ hash: string }>(
    'select hash from drizzle.__drizzle_migrations order by created_at desc limit 1',
  )
  return rows[0]?.hash.slice(0, 16) ?? 'none'
}

async function resetSequences(client: pg.Client) {
  const { rows } = await client.query<{ table: string; column: string }>(
    `select format('%I.%I', table_schema, table_name) as table, column_name as column from information_schema.columns
     where table_schema = any($1) and (is_identity = 'YES' or column_default like 'nextval(%')`,
    [schemas],
  )
  for (const { table, column } of rows) {
    await client.query(
      `select setval(pg_get_serial_sequence('${table}', '${column}'), coalesce(max(${column}), 0) + 1, false) from ${table}`,
    )
  }
}

async function write(out: Writable, chunk: string | Buffer) {
  if (!out.write(chunk)) await once(out, 'drain')
}

async function withClient<Result>(
  url: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    // Ends the session, and with it a transaction that did not commit.
    await client.end()
  }
}
