import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export type Migration = { tag: string; hash: string; when: number; statements: string[] }

const ours = fileURLToPath(new URL('./migrations', import.meta.url))

/** As drizzle-kit writes them, with the hash that drizzle's own runner stores in the database. */
export function readMigrations(folder = ours): Migration[] {
  const journal: { entries: { tag: string; when: number }[] } = JSON.parse(
    readFileSync(join(folder, 'meta/_journal.json'), 'utf8'),
  )
  return journal.entries.map(({ tag, when }) => {
    const text = readFileSync(join(folder, `${tag}.sql`), 'utf8')
    return {
      tag,
      when,
      hash: createHash('sha256').update(text).digest('hex'),
      statements: text.split('--> statement-breakpoint').map((statement) => statement.trim()),
    }
  })
}

export const concurrentIndex = (statement: string): string | undefined =>
  /^create (?:unique )?index concurrently (?:if not exists )?"?(\w+)"?/i.exec(statement)?.[1]

/** A statement that changes some rows at a time and is repeated until none are left. */
export const isInBatches = (statement: string): boolean => /^-- in batches\b/i.test(statement)

/** Takes too long for a transaction that everyone would have to wait for. */
export const isOnline = (statement: string): boolean =>
  concurrentIndex(statement) !== undefined || isInBatches(statement)

/** The previous version cannot run on what it leaves behind: going back means restoring a backup. */
export const isOneWay = ({ statements }: Migration): boolean =>
  statements.some((statement) => /^-- one way\b/i.test(statement))
