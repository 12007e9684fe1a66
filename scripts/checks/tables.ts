import { globSync, readdirSync } from 'node:fs'
import { posix, sep } from 'node:path'
import { getTableName, isTable } from 'drizzle-orm'
import { type Expression, type Program, parseSync, Visitor } from 'oxc-parser'

type Sources = ReadonlyMap<string, string>
/** A table by its name in the schema, with its SQL name and the folder in `server/` that writes it. */
export type OwnedTable = { name: string; sqlName: string; owner: string }
type Write = { path: string; table: string }

const isSchema = (path: string) => /^server\/database\/schema(\/.*)?\.ts$/.test(path)
/** The shop itself, not the code that prepares, copies and restores whole databases. */
const isJudged = (path: string) =>
  /^server\/(?!database\/|testing\/)/.test(path) && !path.endsWith('.test.ts')

/** Every table. Its owner is the room, or the folder of the ground floor, that its file is named after. */
export async function readTables(): Promise<OwnedTable[]> {
  const files = readdirSync('server/database/schema').toSorted()
  const tables = files.map(async (file) => {
    const room = file.replace(/\.ts$/, '')
    const [wing] = globSync(`server/features/*/${room}`)
    const owner = wing ? wing.replaceAll(sep, '/').replace('server/', '') : room
    const module: Record<string, unknown> = await import(`../../server/database/schema/${room}.ts`)
    return Object.entries(module).flatMap(([name, table]) =>
      isTable(table) ? [{ name, sqlName: getTableName(table), owner }] : [],
    )
  })
  return (await Promise.all(tables)).flat()
}

/** Every write to a table from a folder that does not own it, as sentences. */
export function checkTables(
  sources: Sources,
  tables: OwnedTable[],
): { complaints: string[]; writes: number } {
  const complaints: string[] = []
  const writes = [...sources]
    .filter(([path]) => isJudged(path))
    .flatMap(([path, source]) => writesOf(path, source, tables, complaints))
  const owned = new Map(tables.map((table) => [table.name, table]))
  for (const { path, table } of writes) {
    const owner = `server/${owned.get(table)?.owner}`
    if (!path.startsWith(`${owner}/`)) complaints.push(`${path} writes ${table}: ask ${owner}`)
  }
  // A check that sees nothing must not pass.
  for (const { name } of tables)
    if (!writes.some(({ table }) => table === name)) complaints.push(`no write to ${name} was found`)
  return { complaints, writes: writes.length }
}

function writesOf(path: string, source: string, tables: OwnedTable[], complaints: string[]): Write[] {
  const { program, module } = parseSync(path, source)
  const imported = new Map(
    module.staticImports
      .filter(({ moduleRequest }) => isSchema(resolve(path, moduleRequest.value)))
      .flatMap(({ entries }) => entries)
      .map(({ importName, localName }) => [localName.value, importName.name ?? '']),
  )
  const writes: Write[] = []
  const note = (table: string | undefined) => {
    if (table && tables.some(({ name }) => name === table)) writes.push({ path, table })
  }
  const bySqlName = (sqlName: string) => tables.find((table) => table.sqlName === sqlName)?.name

  visitCalls(program, ({ receiver, argument }) => {
    const table = argument?.type === 'Identifier' ? imported.get(argument.name) : undefined
    if (table) note(table)
    else if (isDatabase(receiver)) complaints.push(`${path} writes a table the check cannot name`)
  })
  for (const [, , local, sqlName] of source.matchAll(statement))
    note(local ? imported.get(local) : bySqlName(sqlName ?? ''))
  return writes
}

/** Raw SQL: `update users` or, with the table from the schema, `update ${users}`. */
const statement =
  /\b(insert into|update|delete from|truncate|merge into)\s+(?:table\s+|only\s+)?(?:\$\{(\w+)\}|"?(\w+)"?)/gi

function visitCalls(
  program: Program,
  visit: (call: { receiver: Expression; argument: Expression | undefined }) => void,
) {
  new Visitor({
    CallExpression({ callee, arguments: [argument] }) {
      if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return
      if (!['insert', 'update', 'delete'].includes(callee.property.name)) return
      visit({
        receiver: callee.object,
        argument: argument?.type === 'SpreadElement' ? undefined : argument,
      })
    },
  }).visit(program)
}

/** `db`, `tx`, or a `.db` of something: maps and hashes have `delete` and `update` too. */
function isDatabase(receiver: Expression): boolean {
  if (receiver.type === 'Identifier') return receiver.name === 'db' || receiver.name === 'tx'
  return (
    receiver.type === 'MemberExpression' &&
    receiver.property.type === 'Identifier' &&
    receiver.property.name === 'db'
  )
}

const resolve = (from: string, specifier: string) =>
  specifier.startsWith('#') ? specifier.slice(1) : posix.join(posix.dirname(from), specifier)
