import { cpSync, readdirSync, rmSync } from 'node:fs'
import { run } from '../run.ts'

export const migrations = 'server/database/migrations'
const copy = 'node_modules/.cache/migrations'

/** Whether the migrations build the schema: generating from a copy of them must add nothing. */
export async function checkMigrations(): Promise<{ ok: boolean; output: string }> {
  rmSync(copy, { recursive: true, force: true })
  cpSync(migrations, copy, { recursive: true })
  const before = readdirSync(copy)
  const { ok, output } = await run('drizzle-kit generate', { MIGRATIONS: copy })
  const added = readdirSync(copy).filter((file) => !before.includes(file))
  if (!ok || added.length === 0) return { ok, output }
  return { ok: false, output: 'The schema has changed: run `npm run db:generate` and commit what it writes' }
}
