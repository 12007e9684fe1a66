import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from './run.ts'

const statementBreakpoint = '\n--> statement-breakpoint\n'

/** Statements that drizzle-kit does not write: the search indexes need the extension. */
const extensions = 'CREATE EXTENSION IF NOT EXISTS pg_trgm;'
const triggers = readFileSync('server/database/triggers.sql', 'utf8')

/** Fixed instead of the current time, so that the same schema gives the same files. */
const writtenAt = Date.UTC(2026, 10, 18)
const snapshotId = '00000000-0000-0000-0000-000000000001'

export async function writeBaseline(folder: string) {
  rmSync(folder, { recursive: true, force: true })
  const { ok, output } = await run('drizzle-kit generate --name init', { MIGRATIONS: folder })
  if (!ok) throw new Error(output)
  editFile(join(folder, '0000_init.sql'), (sql) => [extensions, sql, triggers].join(statementBreakpoint))
  editFile(join(folder, 'meta/_journal.json'), (json) => json.replace(/"when": \d+/, `"when": ${writtenAt}`))
  editFile(join(folder, 'meta/0000_snapshot.json'), (json) => json.replace(/"id": "[^"]+"/, `"id": "${snapshotId}"`))
}

function editFile(file: string, edit: (text: string) => string) {
  writeFileSync(file, edit(readFileSync(file, 'utf8')))
}
