import { createHash } from 'node:crypto'
import type pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'

const schemas = ['public', 'jobs', 'sandbox']
/** Bookkeeping of the job queue, which the queue rebuilds and a restore could not insert. */
const tablesNotBackedUp = new Set(['jobs.version', 'jobs.bam', 'jobs.warning', 'jobs.queue_stats'])

/** `order` lists the columns of the primary key, or the first column if there is none. */
export type Table = { name: string; columns: string[]; order: string }

/** Leaves out generated columns. Referenced tables come before the tables that refer to them. */
export async function tablesOf(client: pg.ClientBase): Promise<Table[]> {
  const { rows } = await client.query<Table & { oid: string; needs: string[] }>(
    `select c.oid::text, format('%I.%I', n.nspname, c.relname) as name,
       array(select quote_ident(attname) from pg_attribute
         where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '' order by attnum) as columns,
       coalesce((select string_agg(quote_ident(a.attname) || case when a.attcollation = 0 then '' else ' collate "C"' end,
           ', ' order by k.place)
         from pg_index i cross join unnest(i.indkey) with ordinality as k(attnum, place)
         join pg_attribute a on a.attrelid = c.oid and a.attnum = k.attnum
         where i.indrelid = c.oid and i.indisprimary), '1') as "order",
       array(select confrelid::text from pg_constraint where contype = 'f' and conrelid = c.oid and confrelid <> c.oid) as needs
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = any($1) and c.relkind in ('r', 'p') and not c.relispartition order by name`,
    [schemas],
  )
  const placedOids = new Set<string>()
  const sorted: Table[] = []
  while (placedOids.size < rows.length) {
    const isNext = (row: (typeof rows)[number]) =>
      !placedOids.has(row.oid) && row.needs.every((oid) => placedOids.has(oid))
    const next = rows.find(isNext)
    if (!next) throw new Error('The tables reference each other in a cycle')
    placedOids.add(next.oid)
    if (!tablesNotBackedUp.has(next.name)) sorted.push(next)
  }
  return sorted
}

export type Sum = { rows: number; sha256: string }

export async function readAndSum(
  client: pg.ClientBase,
  { name, columns, order }: Table,
  onChunk: (chunk: Buffer) => unknown = () => undefined,
): Promise<Sum> {
  const hash = createHash('sha256')
  const stream = client.query(copyTo(`COPY (select ${columns.join(', ')} from ${name} order by ${order}) TO STDOUT`))
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    hash.update(chunk)
    await onChunk(chunk)
  }
  return { rows: stream.rowCount, sha256: hash.digest('hex') }
}
