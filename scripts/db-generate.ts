import { rmSync } from 'node:fs'
import packageJson from '../package.json' with { type: 'json' }
import { migrations } from './checks/migrations.ts'
import { show } from './run.ts'

/** `npm run db:generate -- --name what-changed`: writes the migration from the last schema to the present one. */

// Before the first release nobody has a database to keep: one migration is enough.
const released = !packageJson.version.startsWith('0.')
if (!released) rmSync(migrations, { recursive: true, force: true })

const options = released ? process.argv.slice(2) : ['--name', 'init']
const ok = await show(`drizzle-kit generate ${options.join(' ')}`)
process.exitCode = ok ? 0 : 1
