import { sealMigrations } from './checks/migrations.ts'
import { show } from './run.ts'

/** `npm run db:generate -- --name what-changed`: adds the migration from the last schema to the current one. */
const ok = await show(`drizzle-kit generate ${process.argv.slice(2).join(' ')}`)
if (ok) sealMigrations()
process.exitCode = ok ? 0 : 1
