import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { writeBaseline } from '../baseline.ts'

const migrationsFolder = 'server/database/migrations'
const freshFolder = 'node_modules/.cache/migrations'

/** Compares the committed migrations with ones written anew: the latest snapshot, and the triggers of the baseline. */
export async function checkMigrations(): Promise<{ ok: boolean; output: string; checked: string }> {
  await writeBaseline(freshFolder)
  const ok =
    isDeepStrictEqual(latestSnapshot(migrationsFolder), latestSnapshot(freshFolder)) &&
    triggersOf(migrationsFolder) === triggersOf(freshFolder)
  return {
    ok,
    output: ok ? '' : 'The schema or triggers.sql has changed: run `npm run db:generate` and commit what it writes',
    checked: `${sqlFiles(migrationsFolder).length} migrations`,
  }
}

const sqlFiles = (folder: string) => readdirSync(folder).filter((name) => name.endsWith('.sql'))

function latestSnapshot(folder: string) {
  const meta = join(folder, 'meta')
  const snapshots = readdirSync(meta).filter((name) => name.endsWith('_snapshot.json'))
  const latest = snapshots.toSorted().at(-1) ?? ''
  return { ...JSON.parse(readFileSync(join(meta, latest), 'utf8')), id: '', prevId: '' }
}

function triggersOf(folder: string) {
  const baseline = readFileSync(join(folder, '0000_init.sql'), 'utf8')
  return baseline.slice(baseline.indexOf('-- What drizzle-kit cannot express'))
}
