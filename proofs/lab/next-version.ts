import { execFileSync } from 'node:child_process'
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('../..', import.meta.url))

/** What a next release might need: a column, an index and a backfill, each as CONTRIBUTING.md asks. */
const nextMigrations = [
  { tag: '9001_note', sql: 'ALTER TABLE "purchases" ADD COLUMN "note" text DEFAULT \'none\';' },
  { tag: '9002_by-note', sql: 'CREATE INDEX CONCURRENTLY "purchases_note" ON "purchases" USING btree ("note");' },
  {
    tag: '9003_fill-note',
    sql: `-- in batches
UPDATE "purchases" SET "note" = 'filled' WHERE "id" IN (SELECT "id" FROM "purchases" WHERE "note" = 'none' LIMIT 5000);`,
  },
]

/** Every file of this version, as git knows them, with the built web part. */
export function copyOfThisVersion(folder: string) {
  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: here,
    encoding: 'utf8',
  })
  for (const file of files.split('\0').filter(Boolean)) cpSync(join(here, file), join(folder, file))
}

export function addNextMigrations(folder: string) {
  const migrations = join(folder, 'server/database/migrations')
  const journal = join(migrations, 'meta/_journal.json')
  const content = JSON.parse(readFileSync(journal, 'utf8')) as { entries: object[] }
  for (const { tag, sql } of nextMigrations) {
    writeFileSync(join(migrations, `${tag}.sql`), sql)
    content.entries.push({ idx: content.entries.length, version: '7', when: Date.now(), tag, breakpoints: true })
  }
  writeFileSync(journal, JSON.stringify(content))
}

export function installNextVersion(folder: string): string {
  copyOfThisVersion(folder)
  addNextMigrations(folder)
  for (const built of ['node_modules', 'dist']) symlinkSync(join(here, built), join(folder, built))
  return join(folder, 'server/main.ts')
}

export const thisVersion = join(here, 'server/main.ts')
