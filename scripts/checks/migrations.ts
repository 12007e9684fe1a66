import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { writeBaseline } from '../baseline.ts'

const migrations = 'server/database/migrations'
const fresh = 'node_modules/.cache/migrations'

/** Compares the latest snapshot with the schema, and the baseline's end with triggers.sql. */
export async function checkMigrations(): Promise<{ ok: boolean; output: string; seen: string }> {
  await writeBaseline(fresh)
  const ok =
    isDeepStrictEqual(latestSnapshot(migrations), latestSnapshot(fresh)) && triggersOf(migrations) === triggersOf(fresh)
  return {
    ok,
    output: ok ? '' : 'The schema or triggers.sql has changed: run `npm run db:generate` and commit what it writes',
    seen: `${sqlFiles(migrations).length} migrations`,
  }
}

const sqlFiles = (folder: string) => readdirSync(folder).filter((name) => name.endsWith('.sql'))

function latestSnapshot(folder: string) {
  const meta = join(folder, 'meta')
  const last = readdirSync(meta)
    .filter((name) => name.endsWith('_snapshot.json'))
    .toSorted()
    .at(-1)
  return { ...JSON.parse(readFileSync(join(meta, last ?? ''), 'utf8')), id: '', prevId: '' }
}

function triggersOf(folder: string) {
  const baseline = readFileSync(join(folder, '0000_init.sql'), 'utf8')
  return baseline.slice(baseline.indexOf('-- What drizzle-kit cannot express'))
}
