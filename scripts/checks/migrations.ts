import { createHash } from 'node:crypto'
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isOneWay, isOnline, type Migration, readMigrations } from '#server/database/migrations.ts'
import { run } from '../run.ts'

const migrations = 'server/database/migrations'
const copy = 'node_modules/.cache/migrations'
/** The hash of every migration, recorded when it is generated: a shop somewhere has run it, so it never changes. */
const sealed = 'hashes.json'

type Hashes = Record<string, string>

/** Whether the migrations are those that shops have run, and build the schema: generating from a copy must add nothing. */
export async function checkMigrations(): Promise<{ ok: boolean; output: string; seen?: string }> {
  const complaints = compareHashes(hashesOf(migrations), JSON.parse(readFileSync(join(migrations, sealed), 'utf8')))
  complaints.push(...checkForLargeShops(readMigrations(migrations)))
  if (complaints.length > 0) return { ok: false, output: complaints.join('\n') }
  rmSync(copy, { recursive: true, force: true })
  cpSync(migrations, copy, { recursive: true })
  const before = readdirSync(copy)
  const { ok, output } = await run('drizzle-kit generate', { MIGRATIONS: copy })
  const added = readdirSync(copy).filter((file) => !before.includes(file))
  if (!ok || added.length === 0) return { ok, output, seen: `${before.filter(isMigration).length} migrations` }
  return { ok: false, output: 'The schema has changed: run `npm run db:generate` and commit what it writes' }
}

export function compareHashes(found: Hashes, promised: Hashes): string[] {
  const names = [...new Set([...Object.keys(promised), ...Object.keys(found)])]
  return names.flatMap((name) => {
    if (!promised[name]) return [`${name} is not in ${sealed}: create migrations with \`npm run db:generate\``]
    if (!found[name]) return [`${name} is gone, but shops have run it`]
    if (found[name] !== promised[name])
      return [`${name} has changed, but shops have run it: add a new migration instead`]
    return []
  })
}

const removal = /\b(drop column|drop table|rename)\b/i

/** Anything that makes buyers of a large shop wait, or breaks the previous version still running beside the new one. */
const harmful: [pattern: RegExp, instead: string][] = [
  [/^create (unique )?index (?!concurrently)/i, 'use .concurrently() in the schema, in its own migration'],
  [/^(?!.*\bdefault\b).*\badd column\b.*\bnot null\b/i, 'existing rows have no value: give it a default'],
  [/\bset not null\b/i, 'it reads the whole table under a lock: add a check that is not valid yet, then validate it'],
  [/\bset data type\b/i, 'it rewrites the whole table: add a column and fill it in batches'],
  [
    /\badd constraint\b.*\b(check|foreign key)\b(?!.*\bnot valid\b)/is,
    'add it as "not valid", and validate it in the next migration',
  ],
  [removal, 'the previous version still uses it: only a later release may, or one that starts with "-- one way"'],
]

/** Harmless anyway, and why. */
const agreed: Record<string, string> = {}

/** The first migration finds no rows; neither does one on a table it creates. */
export function checkForLargeShops([, ...later]: Migration[]): string[] {
  return later.flatMap((migration) => {
    const { tag, statements } = migration
    if (agreed[tag]) return []
    const rules = isOneWay(migration) ? harmful.filter(([pattern]) => pattern !== removal) : harmful
    const isMixed = statements.some(isOnline) && !statements.every(isOnline)
    const made = statements.flatMap((statement) => /^create table "(\w+)"/i.exec(statement)?.[1] ?? [])
    const isNew = (statement: string) =>
      made.some((table) => new RegExp(`(on|alter table) "${table}"`, 'i').test(statement))
    return [
      ...(isMixed ? [`${tag} needs a transaction for only part of it: generate the index in its own migration`] : []),
      ...statements
        .filter((statement) => !isNew(statement))
        .flatMap((statement) =>
          rules
            .filter(([pattern]) => pattern.test(statement))
            .map(([, instead]) => `${tag}: ${statement.slice(0, 80)}: ${instead}`),
        ),
    ]
  })
}

/** Adds the newest migration to the list; earlier ones keep their hash, so a rewritten one is still caught. */
export function sealMigrations() {
  const promised: Hashes = JSON.parse(readFileSync(join(migrations, sealed), 'utf8'))
  writeFileSync(join(migrations, sealed), `${JSON.stringify({ ...hashesOf(migrations), ...promised }, null, 2)}\n`)
}

const isMigration = (name: string) => name.endsWith('.sql')

function hashesOf(folder: string): Hashes {
  const names = readdirSync(folder).filter(isMigration).toSorted()
  return Object.fromEntries(
    names.map((name) => [
      name,
      createHash('sha256')
        .update(readFileSync(join(folder, name)))
        .digest('hex'),
    ]),
  )
}
