import { execFileSync } from 'node:child_process'
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const repository = fileURLToPath(new URL('../..', import.meta.url))

const nextMigration = {
  tag: '0001_note',
  sql: `ALTER TABLE "purchases" ADD COLUMN "note" text DEFAULT 'none';--> statement-breakpoint
CREATE INDEX "purchases_note" ON "purchases" USING btree ("note");`,
}

export function copyThisVersion(folder: string) {
  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: repository,
    encoding: 'utf8',
  })
  for (const file of files.split('\0').filter(Boolean)) cpSync(join(repository, file), join(folder, file))
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
  copyThisVersion(folder)
  addNextMigration(folder)
  // The build is copied, not linked, because the bundle finds the migrations relative to itself.
  cpSync(join(repository, 'dist'), join(folder, 'dist'), { recursive: true })
  symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'))
  return join(folder, 'dist/server/main.js')
}

export const entryOfThisVersion = join(repository, 'dist/server/main.js')
