import { execFileSync } from 'node:child_process'
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('../..', import.meta.url))

/** Adds a column and an index, as a next release might. */
const nextMigration = {
  tag: '0001_note',
  sql: `ALTER TABLE "purchases" ADD COLUMN "note" text DEFAULT 'none';--> statement-breakpoint
CREATE INDEX "purchases_note" ON "purchases" USING btree ("note");`,
}

/** Every file of this version, as git knows them, with the built web part. */
export function copyOfThisVersion(folder: string) {
  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: here,
    encoding: 'utf8',
  })
  for (const file of files.split('\0').filter(Boolean)) cpSync(join(here, file), join(folder, file))
}

export function addNextMigration(folder: string) {
  const migrations = join(folder, 'server/database/migrations')
  const journal = join(migrations, 'meta/_journal.json')
  const content = JSON.parse(readFileSync(journal, 'utf8')) as { entries: object[] }
  const { tag, sql } = nextMigration
  writeFileSync(join(migrations, `${tag}.sql`), sql)
  content.entries.push({ idx: content.entries.length, version: '7', when: Date.now(), tag, breakpoints: true })
  writeFileSync(journal, JSON.stringify(content))
}

export function installNextVersion(folder: string): string {
  copyOfThisVersion(folder)
  addNextMigration(folder)
  // Copied, not linked: the bundle looks for the migrations from where it is.
  cpSync(join(here, 'dist'), join(folder, 'dist'), { recursive: true })
  symlinkSync(join(here, 'node_modules'), join(folder, 'node_modules'))
  return join(folder, 'dist/server/main.js')
}

export const thisVersion = join(here, 'dist/server/main.js')
