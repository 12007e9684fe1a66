import { readFileSync, rmSync } from 'node:fs'
import { relative } from 'node:path'
import { check } from './check.ts'
import freshBuild from './fresh-build.ts'
import { run, runInTerminal } from './run.ts'

/** `npm test`: every check and every test, even after a failure, then the totals. */

type Count = {
  passed: number
  failed: number
  skipped?: number
  /** Names of failed tests, repeated at the very end, where people look in a long log. */
  failures?: string[]
  /** Names of browser tests that passed only on retry. */
  retried?: string[]
}

const suites: [name: string, count: () => Promise<Count>][] = [
  ['checks', check],
  ['unit and API tests', () => vitest('')],
  ['browser tests', browserTests],
  ['faults and benchmark, smallest form', proofs],
]

type TestFile = { name: string; status: string; assertionResults: { status: string; fullName: string }[] }
type VitestReport = { numPassedTests?: number; numPendingTests?: number; testResults?: TestFile[] }

async function vitest(options: string, env: Record<string, string> = {}): Promise<Count> {
  const report = 'test-results/vitest.json'
  rmSync(report, { force: true })
  const command = 'vitest run --reporter=default --reporter=json'
  const ok = await runInTerminal(`${command} --outputFile.json=${report} ${options}`, env)
  const { numPassedTests, numPendingTests, testResults = [] }: VitestReport = readReport(report)
  const failedFiles = testResults.filter(({ status }) => status === 'failed')
  const failures = failedFiles.flatMap(failuresOf)
  return { ...countOf(ok, numPassedTests, failures.length, numPendingTests), failures }
}

function failuresOf({ name, assertionResults }: TestFile): string[] {
  const path = relative('.', name)
  const failedTests = assertionResults.filter(({ status }) => status === 'failed')
  // A file that failed to load, or whose hooks failed, has no failed test.
  if (failedTests.length === 0) return [path]
  return failedTests.map(({ fullName }) => `${path} › ${fullName}`)
}

type Suite = { suites?: Suite[]; specs: { file: string; title: string; tests: { status: string }[] }[] }
type PlaywrightReport = {
  stats?: { expected: number; unexpected: number; flaky: number; skipped: number }
  suites?: Suite[]
}

async function browserTests(): Promise<Count> {
  const report = 'test-results/playwright.json'
  rmSync(report, { force: true })
  const ok = await runInTerminal('playwright test --reporter=list,json', { PLAYWRIGHT_JSON_OUTPUT_NAME: report })
  const { stats, suites: playwrightSuites = [] }: PlaywrightReport = readReport(report)
  return {
    ...countOf(ok, (stats?.expected ?? 0) + (stats?.flaky ?? 0), stats?.unexpected, stats?.skipped),
    retried: browserTestsWith('flaky', playwrightSuites),
    failures: browserTestsWith('unexpected', playwrightSuites),
  }
}

function browserTestsWith(status: string, playwrightSuites: Suite[]): string[] {
  return playwrightSuites.flatMap(({ specs, suites: innerSuites = [] }) => {
    const matchingSpecs = specs.filter(({ tests }) => tests.some((test) => test.status === status))
    const names = matchingSpecs.map(({ file, title }) => `e2e/${file} › ${title}`)
    return [...names, ...browserTestsWith(status, innerSuites)]
  })
}

/** Both at once, because both mostly wait. Their smallest forms show that they run, not that limits are met. */
async function proofs(): Promise<Count> {
  const benchmark = run('node proofs/run.ts bench --quick')
  const faults = await vitest('--config=proofs/vitest.config.ts proofs/faults', { QUICK: '1' })
  const { ok, output } = await benchmark
  console.log(output)
  if (ok) return { ...faults, passed: faults.passed + 1 }
  return {
    ...faults,
    failed: faults.failed + 1,
    failures: [...(faults.failures ?? []), 'npm run proof -- bench --quick'],
  }
}

function readReport(path: string) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return {}
  }
}

/** A run that could not start, stopped early or tested nothing is a failure too. */
function countOf(ok: boolean, passed = 0, failed = 0, skipped = 0): Count {
  const hasRunFailed = failed === 0 && (!ok || passed === 0)
  return { passed, failed: hasRunFailed ? 1 : failed, skipped }
}

// Built once here, because several tests would otherwise build at the same time.
freshBuild()
const counts: (Count & { name: string; minutes: number })[] = []
for (const [name, count] of suites) {
  console.log(`\n— ${name} —`)
  const startedAt = performance.now()
  counts.push({ ...(await count()), name, minutes: (performance.now() - startedAt) / 60_000 })
}

console.log()
for (const { retried = [] } of counts) for (const name of retried) console.log(`passed on retry: ${name}`)
for (const { failures = [] } of counts) for (const name of failures) console.log(`failed: ${name}`)
for (const { name, minutes, passed, failed, skipped = 0, retried = [] } of counts) {
  const summary = [`${name}: ${passed} passed, ${failed} failed`]
  if (skipped > 0) summary.push(`${skipped} skipped`)
  if (retried.length > 0) summary.push(`${retried.length} passed on retry`)
  summary.push(`${minutes.toFixed(1)} minutes`)
  console.log(summary.join(', '))
}
const sum = (key: 'passed' | 'failed') => counts.reduce((total, count) => total + count[key], 0)
console.log(`${sum('passed')} passed, ${sum('failed')} failed`)
process.exitCode = sum('failed') > 0 ? 1 : 0
