import { mkdirSync, writeFileSync } from 'node:fs'
import freshWeb from '#scripts/fresh-web.ts'
import { backupAndRestore } from './faults/backups.ts'
import { badInputs } from './faults/bad-inputs.ts'
import { clockJumps } from './faults/clock.ts'
import { databaseFrozen, databaseRestarts, diskFull } from './faults/database.ts'
import { commitKills, tradingViewKills } from './faults/kills.ts'
import { details, fullLimits, type Outcome, quickLimits, type Row } from './faults/limits.ts'
import { manyRequests, slowConnections } from './faults/overload.ts'
import { gracefulStop, rollingRestarts } from './faults/restarts.ts'
import { webhookStorm, webhooksLost } from './faults/webhooks.ts'
import { concurrently } from './lab/concurrently.ts'
import { openLab } from './lab/lab.ts'
import { saidSoFar } from './lab/leaks.ts'

/** `npm run proof -- faults`: breaks a real shop in every way the fault table lists and reports how it held up. `--quick` takes a few minutes. */
const rows: Row[] = [
  slowConnections,
  databaseRestarts,
  databaseFrozen,
  diskFull,
  manyRequests,
  gracefulStop,
  rollingRestarts,
  commitKills,
  tradingViewKills,
  badInputs,
  webhookStorm,
  webhooksLost,
  backupAndRestore,
  clockJumps,
]
const begun = performance.now()
const quick = process.argv.includes('--quick')
const limits = quick ? quickLimits : fullLimits
const words = process.argv.slice(2).filter((word) => !word.startsWith('--'))

await freshWeb()
const lab = await openLab()
const count = { passed: 0, failed: 0, skipped: 0, retried: [] as string[], failures: [] as string[] }
const chosen = rows.filter(
  ({ name, isTested }) =>
    !(quick && isTested) && (words.length === 0 || words.some((word) => name.includes(word))),
)
// Rows that need the machine or its PostgreSQL to themselves come first; the others share it, two at a time.
for (const row of chosen.filter(({ alone }) => alone)) await judge(row)
const others = chosen.filter(({ alone }) => !alone).values()
await concurrently(2, async () => {
  for (const row of others) await judge(row)
})
await lab.close()
judgeLogs()
mkdirSync('test-results', { recursive: true })
console.log(`${((performance.now() - begun) / 60_000).toFixed(1)} minutes`)
writeFileSync('test-results/faults.json', JSON.stringify(count))
process.exit(count.failed > 0 ? 1 : 0)

async function judge(row: Row) {
  const first = await show(row)
  // As part of `npm test`, a row gets a second try; in a full run, it has to hold the first time.
  const { ok, skipped, figures } = first.ok || !quick ? first : await show(row)
  count[skipped ? 'skipped' : ok ? 'passed' : 'failed'] += 1
  if (!ok) count.failures.push(`${row.name}: ${figures}`)
  else if (!first.ok) count.retried.push(`${row.name} (first try: ${first.figures})`)
}

/** Whatever the rows broke, the shops' logs name no one; a run in which they said nothing proves nothing. */
function judgeLogs() {
  const { lines, leaks } = saidSoFar()
  const ok = leaks.length === 0
  count[lines === 0 ? 'skipped' : ok ? 'passed' : 'failed'] += 1
  const figures = `${lines} lines, ${leaks.length} with something a visitor typed${details(leaks)}`
  if (!ok) count.failures.push(`logs: ${figures}`)
  console.log(`${lines === 0 ? '-' : ok ? '✓' : '✗'} logs: ${figures}`)
}

async function show(row: Row): Promise<Outcome> {
  const started = performance.now()
  const outcome = await attempt(row)
  const seconds = ((performance.now() - started) / 1000).toFixed(0)
  const mark = outcome.skipped ? '-' : outcome.ok ? '✓' : '✗'
  console.log(`${mark} ${row.name} (${seconds} s): ${outcome.figures}`)
  return outcome
}

async function attempt(row: Row): Promise<Outcome> {
  const shop = await lab.openShop(row.env)
  try {
    return await row.run({ shop, lab, limits })
  } catch (error) {
    return { ok: false, figures: (error as Error).stack ?? String(error) }
  } finally {
    await shop.close()
  }
}
