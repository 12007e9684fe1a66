import { readFileSync, rmSync } from 'node:fs'
import { relative } from 'node:path'
import { check } from './check.ts'
import { show } from './run.ts'

/** `npm test`: every check and every test, even after a failure, then the totals. */

type Count = {
  passed: number
  failed: number
  skipped?: number
  /** Tests that passed only on retry, named so they do not go unnoticed. */
  retried?: string[]
  /** Tests that failed both times, named again at the very end, where people look in a long log. */
  failures?: string[]
}

const kinds: [name: string, count: () => Promise<Count>][] = [
  ['checks', check],
  ['unit and API tests', () => vitestTwice('')],
  ['browser tests', browserTests],
  ['faults', () => vitestTwice('--config=proofs/vitest.config.ts proofs/faults', { QUICK: '1' })],
]

/** A failed test gets a second try, with its whole file. If it passes then, it has passed, and is named. */
async function vitestTwice(given: string, env: Record<string, string> = {}): Promise<Count> {
  const first = await vitest(given, env)
  if (first.failures.length === 0) return counted(first.ok, first.passed.size, 0, first.skipped)
  for (const { text } of first.failures) console.log(`failed on first try: ${text}`)
  const files = new Set(first.failures.map(({ file }) => file))
  const again = await vitest([given.split(' ')[0], ...files].join(' '), env)
  const lasting = again.failures.filter(({ name }) => !first.passed.has(name))
  const named = (failures: { name: string }[]) => new Set(failures.map(({ name }) => name))
  const retried = named([...first.failures, ...again.failures]).difference(named(lasting))
  const hasRun = again.ok || again.failures.length > 0
  return {
    ...counted(hasRun, first.passed.union(again.passed).size, lasting.length, first.skipped),
    retried: [...retried],
    failures: lasting.map(({ text }) => text),
  }
}

async function vitest(given: string, env: Record<string, string>) {
  const report = 'test-results/vitest.json'
  rmSync(report, { force: true })
  const command = 'vitest run --reporter=default --reporter=json'
  const ok = await show(`${command} --outputFile.json=${report} ${given}`, env)
  const results: {
    name: string
    status: string
    message: string
    assertionResults: { status: string; fullName: string; failureMessages: string[] }[]
  }[] = readReport(report).testResults ?? []
  const tests = results.flatMap(({ name: path, assertionResults }) =>
    assertionResults.map(({ status, fullName }) => ({ status, name: `${relative('.', path)} › ${fullName}` })),
  )
  const passed = new Set(tests.filter(({ status }) => status === 'passed').map(({ name }) => name))
  const skipped = tests.filter(({ status }) => status !== 'passed' && status !== 'failed').length
  const failures = results.flatMap(({ name: path, status, message, assertionResults }) => {
    const file = relative('.', path)
    const failed = assertionResults.filter((test) => test.status === 'failed')
    // A file that failed to load, or whose hooks failed, has no failed test.
    if (failed.length === 0 && status === 'failed') return [{ file, name: file, text: `${file}: ${message}` }]
    return failed.map(({ fullName, failureMessages }) => {
      const name = `${file} › ${fullName}`
      return { file, name, text: `${name}\n${failureMessages.join('\n')}` }
    })
  })
  return { ok, passed, skipped, failures }
}

async function browserTests(): Promise<Count> {
  const report = 'test-results/playwright.json'
  rmSync(report, { force: true })
  const ok = await show('playwright test --reporter=list,json', { PLAYWRIGHT_JSON_OUTPUT_NAME: report })
  const { stats = {}, suites = [] } = readReport(report)
  const { expected = 0, unexpected, flaky = 0, skipped } = stats
  return {
    ...counted(ok, expected + flaky, unexpected, skipped),
    retried: browserTestsThat('flaky', suites),
    failures: browserTestsThat('unexpected', suites),
  }
}

type Suite = { suites?: Suite[]; specs: { file: string; title: string; tests: { status: string }[] }[] }

function browserTestsThat(status: string, suites: Suite[]): string[] {
  return suites.flatMap(({ specs, suites: inner = [] }) => [
    ...specs
      .filter(({ tests }) => tests.some((test) => test.status === status))
      .map(({ file, title }) => `e2e/${file} › ${title}`),
    ...browserTestsThat(status, inner),
  ])
}

function readReport(path: string) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return {}
  }
}

/** A run that could not start, stopped early or tested nothing is a failure too. */
function counted(ok: boolean, passed = 0, failed = 0, skipped = 0): Count {
  const failedAsAWhole = failed === 0 && (!ok || passed === 0)
  return { passed, failed: failedAsAWhole ? 1 : failed, skipped }
}

const counts: (Count & { name: string; minutes: number })[] = []
for (const [name, count] of kinds) {
  console.log(`\n— ${name} —`)
  const begun = performance.now()
  counts.push({ ...(await count()), name, minutes: (performance.now() - begun) / 60_000 })
}

console.log()
for (const { retried = [] } of counts) for (const name of retried) console.log(`passed on retry: ${name}`)
for (const { failures = [] } of counts) for (const text of failures) console.log(`failed: ${text}`)
for (const { name, minutes, passed, failed, skipped, retried } of counts) {
  const notes = [
    skipped && `${skipped} skipped`,
    retried?.length && `${retried.length} passed on retry`,
    `${minutes.toFixed(1)} minutes`,
  ]
  console.log([`${name}: ${passed} passed, ${failed} failed`, ...notes.filter(Boolean)].join(', '))
}
const sum = (key: 'passed' | 'failed') => counts.reduce((total, count) => total + count[key], 0)
console.log(`${sum('passed')} passed, ${sum('failed')} failed`)
process.exitCode = sum('failed') > 0 ? 1 : 0
