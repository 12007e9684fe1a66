import { writeBaseline } from './baseline.ts'
import { run, runInTerminal } from './run.ts'

/**
 * `npm run db:generate`: writes the SQL for the current schema. Until v1.0.0 is tagged, one baseline is
 * replaced; after that, each change adds a migration (`npm run db:generate -- --name what-changed`).
 */
const { output: tag } = await run('git tag --list v1.0.0')
if (tag.trim()) {
  const ok = await runInTerminal(`drizzle-kit generate ${process.argv.slice(2).join(' ')}`)
  process.exitCode = ok ? 0 : 1
} else {
  await writeBaseline('server/database/migrations')
  console.log('Wrote server/database/migrations/0000_init.sql. Databases made with the earlier baseline do not start.')
}
