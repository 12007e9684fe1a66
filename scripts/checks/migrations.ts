import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { writeBaseline } from '../baseline.ts'

const migrationsFolder = 'server/database/migrations'
const freshFolder = 'node_modules/.cache/migrations'

/** Compares the committed migrations with a baseline written anew. Once there are more, only their schemas are compared. */
export async function checkMigrations(): Promise<{ ok: boolean; output: string; checked: string }> {
  await writeBaseline(freshFolder)
  const migrations = readdirSync(migrationsFolder).filter((name) => name.endsWith('.sql'))
  const ok =
    isDeepStrictEqual(latestSchema(migrationsFolder), latestSchema(freshFolder)) &&
    (migrations.length > 1 || baselineIn(migrationsFolder) === baselineIn(freshFolder))
  return {
    ok,
    output: ok ? '' : 'The schema or triggers.sql has changed: run `npm run db:generate` and commit what it writes',
    checked: `${migrations.length} migrations`,
  }
}

const baselineIn = (folder: string) => readFileSync(join(folder, '0000_init.sql'), 'utf8')

function latestSchema(folder: string) {
  const meta = join(folder, 'meta')
  const snapshots = readdirSync(meta).filter((name) => name.endsWith('_snapshot.json'))
  const latest = snapshots.toSorted().at(-1) ?? ''
  return { ...JSON.parse(readFileSync(join(meta, latest), 'utf8')), id: '', prevId: '' }
}
