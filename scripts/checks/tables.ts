import { globSync, readdirSync } from 'node:fs'
import { posix, sep } from 'node:path'
import { getTableName, isTable } from 'drizzle-orm'

type Sources = ReadonlyMap<string, string>
export type OwnedTable = { name: string; sqlName: string; owner: string }
type Write = { path: string; table: string }

const isSchema = (path: string) => /^server\/database\/schema(\/.*)?\.ts$/.test(path)
/** Excludes tests, and code that prepares, copies and restores whole databases. */
const isChecked = (path: string) => /^server\/(?!database\/|testing\/)/.test(path) && !path.endsWith('.test.ts')

/** The owner is the module, or the folder in `server/`, that the schema file is named after. */
export async function readTables(): Promise<OwnedTable[]> {
  const files = readdirSync('server/database/schema').toSorted()
  const tables = files.map(async (file) => {
    const name = file.replace(/\.ts$/, '')
    const [folder] = globSync(`server/features/*/${name}`)
    const owner = folder ? folder.replaceAll(sep, '/').replace('server/', '') : name
    const module: Record<string, unknown> = await import(`../../server/database/schema/${name}.ts`)
    return Object.entries(module).flatMap(([exported, table]) =>
      isTable(table) ? [{ name: exported, sqlName: getTableName(table), owner }] : [],
    )
  })
  return (await Promise.all(tables)).flat()
}

export function checkTables(sources: Sources, tables: OwnedTable[]): { complaints: string[]; writes: number } {
  const complaints: string[] = []
  const writes = [...sources]
    .filter(([path]) => isChecked(path))
    .flatMap(([path, source]) => writesOf(path, source, tables, complaints))
  const owned = new Map(tables.map((table) => [table.name, table]))
  for (const { path, table } of writes) {
    const owner = `server/${owned.get(table)?.owner}`
    if (!path.startsWith(`${owner}/`)) complaints.push(`${path} writes ${table}: ask ${owner}`)
  }
  // Every table is written somewhere; if no write is found, the check itself is broken.
  for (const { name } of tables)
    if (!writes.some(({ table }) => table === name)) complaints.push(`no write to ${name} was found`)
  return { complaints, writes: writes.length }
}

/** Adds a complaint for a table that it can't identify. */
function writesOf(path: string, source: string, tables: OwnedTable[], complaints: string[]): Write[] {
  const imported = importedFromSchema(path, source)
  const writes: Write[] = []
  const addWrite = (table: string | undefined) => {
    if (table && tables.some(({ name }) => name === table)) writes.push({ path, table })
  }
  for (const [, receiver = '', argument = ''] of source.matchAll(drizzleWrite)) {
    if (imported.has(argument)) addWrite(imported.get(argument))
    else if (isDatabase.test(receiver)) complaints.push(`${path} writes a table the check cannot name`)
  }
  for (const [, , localName, sqlName] of source.matchAll(sqlWrite))
    addWrite(localName ? imported.get(localName) : tables.find((table) => table.sqlName === sqlName)?.name)
  return writes
}

/** Returns the tables that a file imports, by their names in this file. */
function importedFromSchema(path: string, source: string): Map<string, string> {
  const tableByLocalName = new Map<string, string>()
  for (const [, names = '', specifier = ''] of source.matchAll(/^import \{([^}]+)\} from '([^']+)'/gm)) {
    if (!isSchema(resolve(path, specifier))) continue
    for (const importedName of names.split(',')) {
      const [name = '', localName = name] = importedName.trim().split(' as ')
      tableByLocalName.set(localName, name)
    }
  }
  return tableByLocalName
}

/** `tx.insert(users)` */
const drizzleWrite = /([\w.]+)\s*\.(?:insert|update|delete)\(\s*(\w*)/g

/** `db`, `tx`, or a `.db` of something: maps and hashes have `delete` and `update` too. */
const isDatabase = /^(tx|(.*\.)?db)$/

/** Raw SQL: `update users` or, with the table from the schema, `update ${users}`. */
const sqlWrite =
  /\b(insert into|update|delete from|truncate|merge into)\s+(?:table\s+|only\s+)?(?:\$\{(\w+)\}|"?(\w+)"?)/gi

const resolve = (from: string, specifier: string) =>
  specifier.startsWith('#') ? specifier.slice(1) : posix.join(posix.dirname(from), specifier)
