import { mkdirSync, writeFileSync } from 'node:fs'
import { backupAndRestore } from './faults/backups.ts'
import { badInputs } from './faults/bad-inputs.ts'
import { clockJumps } from './faults/clock.ts'
import { databaseFrozen, databaseRestarts } from './faults/database.ts'
import { diskFull } from './faults/disk.ts'
import { manyRequests, slowConnections } from './faults/load.ts'
import { kills, webhookStorm, webhooksLost } from './faults/money.ts'
import { gracefulStop, rollingRestarts } from './faults/restarts.ts'
import type { Outcome, Row } from './faults/row.ts'
import { openPostgres } from './faults/victim.ts'
import freshWeb from './fresh-web.ts'

/** `npm run test:faults`: hurts a real shop in every way of the fault table and says how it took it. `-- --quick` in under two minutes. */
const rows: Row[] = [
  badInputs,
  slowConnections,
  databaseRestarts,
  databaseFrozen,
  diskFull,
  manyRequests,
  clockJumps,
  gracefulStop,
  rollingRestarts,
  backupAndRestore,
  webhookStorm,
  webhooksLost,
  kills,
]
const quick = process.argv.includes('--quick')
const only = process.argv.slice(2).filter((word) => !word.startsWith('--'))

await freshWeb()
const postgres = await openPostgres()
const count = { passed: 0, failed: 0, skipped: 0 }
for (const row of rows.filter(({ name }) => only.length === 0 || only.some((word) => name.includes(word)))) {
  const started = performance.now()
  const { ok, skipped, figures } = await attempt(row)
  const seconds = ((performance.now() - started) / 1000).toFixed(0)
  count[skipped ? 'skipped' : ok ? 'passed' : 'failed'] += 1
  console.log(`${skipped ? '-' : ok ? '✓' : '✗'} ${row.name} (${seconds} s): ${figures}`)
}
await postgres.close()
mkdirSync('test-results', { recursive: true })
writeFileSync('test-results/faults.json', JSON.stringify(count))
process.exit(count.failed > 0 ? 1 : 0)

async function attempt(row: Row): Promise<Outcome> {
  const victim = await postgres.openVictim()
  try {
    return await row.run(victim, quick)
  } catch (error) {
    return { ok: false, figures: (error as Error).stack ?? String(error) }
  } finally {
    await victim.close()
  }
}
