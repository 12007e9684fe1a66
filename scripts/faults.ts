import { badInputs } from './faults/bad-inputs.ts'
import { kills, webhookStorm, webhooksLost } from './faults/money.ts'
import {
  databaseFrozen,
  databaseRestarts,
  gracefulStop,
  manyRequests,
  type Row,
  slowConnections,
} from './faults/rows.ts'
import { openVictim } from './faults/victim.ts'
import freshWeb from './fresh-web.ts'

/** `npm run test:faults`: hurts a real shop in every way of the fault table and says how it took it. `-- --quick` in under two minutes. */
const rows: Row[] = [
  badInputs,
  slowConnections,
  databaseRestarts,
  databaseFrozen,
  manyRequests,
  gracefulStop,
  webhookStorm,
  webhooksLost,
  kills,
]
const quick = process.argv.includes('--quick')
const only = process.argv.slice(2).filter((word) => !word.startsWith('--'))

await freshWeb()

let failed = 0
for (const row of rows.filter(({ name }) => only.length === 0 || only.some((word) => name.includes(word)))) {
  const victim = await openVictim()
  try {
    const { ok, figures } = await row.run(victim, quick)
    if (!ok) failed += 1
    console.log(`${ok ? '✓' : '✗'} ${row.name}: ${figures}`)
  } catch (error) {
    failed += 1
    console.log(`✗ ${row.name}:`, error)
  } finally {
    await victim.close()
  }
}
process.exit(failed > 0 ? 1 : 0)
