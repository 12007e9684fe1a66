import { readFileSync, rmSync } from 'node:fs'
import { check } from './check.ts'
import { show } from './run.ts'

/** `npm test`: every check and every test, even after a failure, then the sum of all. */

type Count = { passed: number; failed: number; skipped?: number; retried?: number }

const kinds: [name: string, count: () => Promise<Count>][] = [
  ['checks', check],
  ['unit and API tests', unitTests],
  ['browser tests', browserTests],
  ['faults', faults],
]

async function unitTests(): Promise<Count> {
  const report = 'test-results/vitest.json'
  rmSync(report, { force: true })
  const ok = await show(`vitest run --reporter=default --reporter=json --outputFile.json=${report}`)
  const files: { status: string; assertionResults: { status: string }[] }[] =
    readReport(report).testResults ?? []
  const results = files.flatMap((file) => file.assertionResults).map((result) => result.status)
  const count = (status: string) => results.filter((result) => result === status).length
  const unloadable = files.filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
  ).length
  const [passed, failed] = [count('passed'), count('failed')]
  return counted(ok, passed, failed + unloadable, results.length - passed - failed)
}

async function browserTests(): Promise<Count> {
  const report = 'test-results/playwright.json'
  rmSync(report, { force: true })
  const ok = await show('playwright test --reporter=list,json', { PLAYWRIGHT_JSON_OUTPUT_NAME: report })
  const { expected, unexpected, flaky, skipped } = readReport(report).stats ?? {}
  return { ...counted(ok, (expected ?? 0) + (flaky ?? 0), unexpected, skipped), retried: flaky }
}

async function faults(): Promise<Count> {
  const report = 'test-results/faults.json'
  rmSync(report, { force: true })
  const ok = await show('node scripts/faults.ts --quick')
  const { passed, failed, skipped } = readReport(report)
  return counted(ok, passed, failed, skipped)
}

function readReport(path: string) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return {}
  }
}

/** A run that could not start, that broke off, or that tested nothing is a failure too. */
function counted(ok: boolean, passed = 0, failed = 0, skipped = 0): Count {
  const failedAsAWhole = failed === 0 && (!ok || passed === 0)
  return { passed, failed: failedAsAWhole ? 1 : failed, skipped }
}

const counts: Count[] = []
for (const [name, count] of kinds) {
  console.log(`\n— ${name} —`)
  counts.push(await count())
}

console.log()
for (const [index, [name]] of kinds.entries()) {
  const { passed, failed, skipped, retried }: Count = counts[index] ?? { passed: 0, failed: 1 }
  const notes = [skipped && `${skipped} skipped`, retried && `${retried} at the second try`].filter(Boolean)
  console.log([`${name}: ${passed} passed, ${failed} failed`, ...notes].join(', '))
}
const sum = (key: 'passed' | 'failed') => counts.reduce((total, count) => total + count[key], 0)
console.log(`${sum('passed')} passed, ${sum('failed')} failed`)
process.exitCode = sum('failed') > 0 ? 1 : 0
