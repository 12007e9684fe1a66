import { writeBaseline } from './baseline.ts'
import { run, runInTerminal } from './run.ts'

/** Until v1.0.0 is tagged, replaces the one baseline. After that, adds a migration (`-- --name what-changed`). */
const { output: tag } = await run('git tag --list v1.0.0')
if (tag.trim()) {
  const ok = await runInTerminal(`drizzle-kit generate ${process.argv.slice(2).join(' ')}`)
  process.exitCode = ok ? 0 : 1
} else {
  await writeBaseline('server/database/migrations')
  console.log('Wrote server/database/migrations/0000_init.sql. Databases made with the earlier baseline do not start.')
}
