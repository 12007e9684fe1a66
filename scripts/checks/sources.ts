import { globSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { billingTypes } from '#contract/plans.ts'
import * as statuses from '#contract/statuses.ts'

export const folders = ['contract', 'server', 'sandbox', 'web', 'e2e', 'scripts', 'proofs']

export function readSources(root: string): Map<string, string> {
  const paths = globSync(`{${folders.join()}}/**/*.{ts,tsx}`, { cwd: root }).toSorted()
  return new Map(paths.map((path) => [path.replaceAll(sep, '/'), readFileSync(join(root, path), 'utf8')]))
}

const minDuplicateLines = 10

type Line = { text: string; number: number }

/** Blank lines, comments, imports and lone brackets do not count. */
export function findDuplicates(sources: ReadonlyMap<string, string>): string[] {
  const firstSeen = new Map<string, { path: string; index: number }>()
  const linesOf = new Map([...sources].map(([path, source]) => [path, meaningfulLines(source)]))
  const complaints: string[] = []
  for (const [path, lines] of linesOf) {
    for (let index = 0; index + minDuplicateLines <= lines.length; index++) {
      const passage = textOf(lines, index, minDuplicateLines)
      const earlier = firstSeen.get(passage)
      if (!earlier) {
        firstSeen.set(passage, { path, index })
        continue
      }
      const original = linesOf.get(earlier.path) ?? []
      let length = minDuplicateLines
      while (index + length < lines.length && original[earlier.index + length]?.text === lines[index + length]?.text)
        length++
      complaints.push(
        `${location(path, lines, index)} repeats ${length} lines of ${location(earlier.path, original, earlier.index)}`,
      )
      index += length - 1
    }
  }
  return complaints
}

function meaningfulLines(source: string): Line[] {
  // Keeps the line breaks of imports, so that the numbers of later lines stay right.
  const withoutImports = source.replaceAll(/^import [^'"]*['"][^'"]+['"]$/gm, (lines) => lines.replaceAll(/[^\n]/g, ''))
  const lines = withoutImports.split('\n').map((line, index) => ({ text: line.trim(), number: index + 1 }))
  return lines.filter(({ text }) => /\w/.test(text) && !/^(\/\/|\/?\*)/.test(text))
}

function textOf(lines: Line[], start: number, length: number): string {
  const passage = lines.slice(start, start + length)
  return passage.map(({ text }) => text).join('\n')
}

const location = (path: string, lines: Line[], index: number) => `${path}:${lines[index]?.number}`

const listFiles = ['contract/statuses.ts', 'contract/plans.ts']
/** Code that may repeat a list: tests, what they run against, and the sandbox, which imports nothing. */
const mayRepeatLists = /(\.test\.tsx?$|^(e2e|sandbox|server\/testing)\/)/
const lists = Object.values(statuses).filter((value) => Array.isArray(value))

export function checkWordLists(sources: ReadonlyMap<string, string>): { complaints: string[]; lists: number } {
  const complaints: string[] = []
  for (const [path, source] of sources) {
    if (listFiles.includes(path) || mayRepeatLists.test(path)) continue
    for (const copy of copiesIn(source)) complaints.push(`${path} lists ${copy}: import it from ${listFiles[0]}`)
  }
  return { complaints, lists: lists.length }
}

/** The row of the plan, legal texts, tests and the demo. */
const mayNamePlans =
  /^(contract\/(plans\.ts|selling\/legal\/)|e2e|sandbox|scripts|proofs|server\/(testing|mails\/samples))|\.test\.tsx?$/
const planName = `(${billingTypes.join('|')})`
const namedPlan = new RegExp(`(['"\`])${planName}\\1|\\.${planName}\\b`)

/** Code that names a plan would need another branch for another plan. */
export function checkPlanNames(sources: ReadonlyMap<string, string>): string[] {
  const complaints: string[] = []
  for (const [path, source] of sources) {
    if (mayNamePlans.test(path)) continue
    for (const { text, number } of meaningfulLines(source))
      if (namedPlan.test(text))
        complaints.push(`${path}:${number} names a plan: ask its row in contract/plans.ts instead`)
  }
  return complaints
}

/** Finds three words of a list in a row, or all of a shorter list: `'a', 'b'` in arrays and SQL, `'a' | 'b'` in types. */
function copiesIn(source: string): string[] {
  const copies = lists.flatMap((words) => {
    const word = `(['"\`])(?:${words.join('|')})\\1`
    const moreWords = `(?:\\s*[,|]\\s*(['"\`])(?:${words.join('|')})\\2){${Math.min(words.length, 3) - 1},}`
    return [...source.matchAll(new RegExp(word + moreWords, 'g'))].map(([copy]) => copy.replaceAll(/\s+/g, ' '))
  })
  return [...new Set(copies)]
}
