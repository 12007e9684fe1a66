import { createHash } from 'node:crypto'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { StartError } from '../errors.ts'
import { type Signing, sumLine } from './backup.ts'
import { readAndSum, type Sum, type Table, tablesOf } from './backup-tables.ts'
import { explainMissingRights } from './connect.ts'
import { applyMigrations, lockMigrations } from './migrate.ts'
import { type Migration, readMigrations } from './migrations.ts'
import { assertKey, createReader, damagedMessage, migrationsOf, type Reader } from './restore-reader.ts'

type Options = {
  secrets: Signing | undefined
  unsigned?: boolean
  /** Creates the tables that migrations do not cover: those of the job queue and the sandbox. */
  createUnmigratedTables(client: pg.ClientBase): Promise<void>
  recordRestore?(client: pg.ClientBase): Promise<void>
  migrations?: Migration[]
}

/** Replaces all data in one transaction. Executes no SQL from the file. */
export async function restore(
  url: string,
  source: AsyncIterable<Buffer>,
  { secrets, unsigned = false, createUnmigratedTables, recordRestore, migrations = readMigrations() }: Options,
) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const reader = createReader(source, secrets)
    const header = await reader.readHeader()
    const backedUpMigrations = migrationsOf(header, migrations)
    const newerMigrations = migrations.slice(backedUpMigrations.length)
    if (!unsigned) assertKey(header, secrets)
    await assertAlone(client)
    await client.query('begin')
    await dropEverything(client)
    await applyMigrations(client, backedUpMigrations)
    await createUnmigratedTables(client)
    const tables = await tablesOf(client)
    const publicTables = tables.filter(({ name }) => name.startsWith('public.')).map(({ name }) => name)
    await switchTriggers(client, publicTables, 'disable')
    // A migration may insert rows that the backup also has.
    await client.query(`truncate ${publicTables.join(', ')}`)
    const sums = await copyIn(client, reader, tables)
    if (!unsigned) reader.assertSigned()
    await switchTriggers(client, publicTables, 'enable')
    await applyMigrations(client, newerMigrations)
    await resetSequences(client)
    await recordRestore?.(client)
    await client.query('commit')
    const rows = [...sums.values()].reduce((total, sum) => total + sum.rows, 0)
    return { header, rows, tables: sums.size, upgradedBy: newerMigrations.map(({ tag }) => tag) }
  } catch (error) {
    throw explainMissingRights(url, error)
  } finally {
    await client.end()
  }
}

export async function assertAlone(client: pg.Client) {
  // Retries for a second, because PostgreSQL lists a connection for a moment after its end.
  for (let tries = 0; await hasOtherConnections(client); tries++) {
    if (tries === 10) throw new StartError('The shop is running on this database: stop it first. Nothing was changed.')
    await sleep(100)
  }
  // A shop that starts now waits for this lock.
  await lockMigrations(client)
}

/** A running shop polls for jobs every few seconds, so it is never idle for 15 seconds. */
async function hasOtherConnections(client: pg.Client) {
  const { rows } = await client.query(
    `select from pg_stat_activity where datname = current_database() and usename = current_user
       and pid <> pg_backend_pid() and (state <> 'idle' or state_change > now() - interval '15 seconds') limit 1`,
  )
  return rows.length > 0
}

async function dropEverything(client: pg.Client) {
  await client.query('drop schema if exists drizzle, jobs, sandbox cascade')
  const { rows } = await client.query<{ statement: string }>(
    `select format('drop table if exists %s cascade', c.oid::regclass) as statement from pg_class c
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
       and not exists (select from pg_depend where objid = c.oid and deptype = 'e')
     union all
     select format('drop routine if exists %s cascade', p.oid::regprocedure) from pg_proc p
     where pronamespace = 'public'::regnamespace
       and not exists (select from pg_depend where objid = p.oid and deptype = 'e')`,
  )
  for (const { statement } of rows) await client.query(statement)
}

/** Triggers of append-only tables would refuse or change restored rows. */
async function switchTriggers(client: pg.Client, tables: string[], action: 'enable' | 'disable') {
  for (const table of tables) await client.query(`alter table ${table} ${action} trigger user`)
}

async function copyIn(client: pg.Client, reader: Reader, tables: Table[]): Promise<Map<string, Sum>> {
  const tableByName = new Map(tables.map((table) => [table.name, table]))
  const sums = new Map<string, Sum>()
  for (let line = await reader.nextText(); line !== undefined; line = await reader.nextText()) {
    const [, name = '', columns = ''] = /^COPY (\S+) \((.+)\) FROM stdin;$/.exec(line) ?? []
    const table = tableByName.get(name)
    if (!table) throw new StartError(damagedMessage)
    const columnsInFile = columns.split(', ')
    if (columnsInFile.some((column) => !table.columns.includes(column))) throw new StartError(damagedMessage)
    const copied = { ...table, columns: columnsInFile }
    const sumInFile = await copyTable(client, reader, copied).catch(rethrowAsDamaged)
    if ((await reader.nextText()) !== sumLine(name, sumInFile)) throw new StartError(damagedMessage)
    const sumInDatabase = await readAndSum(client, copied)
    if (sumInDatabase.sha256 !== sumInFile.sha256)
      throw new StartError(`${name} does not match the backup after restoring. Nothing was changed.`)
    sums.set(name, sumInFile)
  }
  // A shop with Stripe's keys has no tables of the sandbox.
  const missingTables = tables.filter(({ name }) => !sums.has(name) && !name.startsWith('sandbox.'))
  if (missingTables.length > 0) throw new StartError(damagedMessage)
  return sums
}

/** Rows that PostgreSQL rejects (classes 22 and 23) mean a damaged backup; other errors are rethrown. */
function rethrowAsDamaged(error: Error & { code?: string }): never {
  throw /^2[23]/.test(error.code ?? '') ? new StartError(`${damagedMessage} (${error.message})`) : error
}

async function copyTable(client: pg.Client, reader: Reader, { name, columns }: Table): Promise<Sum> {
  const hash = createHash('sha256')
  let count = 0
  async function* rows() {
    for (let line = await reader.next(); line?.toString() !== '\\.\n'; line = await reader.next()) {
      if (!line) throw new StartError(damagedMessage)
      hash.update(line)
      count += 1
      yield line
    }
  }
  await pipeline(rows, client.query(copyFrom(`COPY ${name} (${columns.join(', ')}) FROM STDIN`)))
  return { rows: count, sha256: hash.digest('hex') }
}

async function resetSequences(client: pg.Client) {
  const { rows } = await client.query<{ table: string; column: string; sequence: string }>(
    `select format('%I.%I', table_schema, table_name) as table, quote_ident(column_name) as column,
       pg_get_serial_sequence(format('%I.%I', table_schema, table_name), column_name) as sequence
     from information_schema.columns
     where table_schema in ('public', 'jobs', 'sandbox', 'drizzle') and (is_identity = 'YES' or column_default like 'nextval(%')`,
  )
  for (const { table, column, sequence } of rows) {
    await client.query(`select setval($1, coalesce(max(${column}), 0) + 1, false) from ${table}`, [sequence])
  }
}
