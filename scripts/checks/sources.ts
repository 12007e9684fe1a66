import { globSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import * as statuses from '#contract/statuses.ts'

export const rooms = ['contract', 'server', 'sandbox', 'web', 'e2e', 'scripts', 'proofs']

/** Every TypeScript source in the repository by its path, such as `server/app.ts`. */
export function readSources(root: string): Map<string, string> {
  const paths = globSync(`{${rooms.join()}}/**/*.{ts,tsx}`, { cwd: root }).toSorted()
  return new Map(paths.map((path) => [path.replaceAll(sep, '/'), readFileSync(join(root, path), 'utf8')]))
}

/** This many identical lines in two places count as a duplicate. */
const shortestRun = 10

type Line = { text: string; number: number }

/** Code that appears in two places. Blank lines, comments, imports and lone brackets do not count. */
export function findDuplicates(sources: ReadonlyMap<string, string>): string[] {
  const firstSeen = new Map<string, { path: string; index: number }>()
  const linesOf = new Map([...sources].map(([path, source]) => [path, meaningfulLines(source)]))
  const complaints: string[] = []
  for (const [path, lines] of linesOf) {
    for (let index = 0; index + shortestRun <= lines.length; index++) {
      const run = textOf(lines, index, shortestRun)
      const earlier = firstSeen.get(run)
      if (!earlier) {
        firstSeen.set(run, { path, index })
        continue
      }
      const original = linesOf.get(earlier.path) ?? []
      let length = shortestRun
      while (index + length < lines.length && original[earlier.index + length]?.text === lines[index + length]?.text)
        length++
      complaints.push(
        `${place(path, lines, index)} repeats ${length} lines of ${place(earlier.path, original, earlier.index)}`,
      )
      index += length - 1
    }
  }
  return complaints
}

function meaningfulLines(source: string): Line[] {
  return source
    .replaceAll(/^import [^'"]*['"][^'"]+['"]$/gm, (lines) => '\n'.repeat(lines.split('\n').length - 1))
    .split('\n')
    .map((line, index) => ({ text: line.trim(), number: index + 1 }))
    .filter(({ text }) => /\w/.test(text) && !/^(\/\/|\/?\*)/.test(text))
}

const textOf = (lines: Line[], start: number, length: number) =>
  lines
    .slice(start, start + length)
    .map((line) => line.text)
    .join('\n')

const place = (path: string, lines: Line[], index: number) => `${path}:${lines[index]?.number}`

/** Where the lists are; two have their own file, because every page needs them. */
const homes = ['contract/statuses.ts', 'contract/roles.ts', 'contract/billing-types.ts']
const lists = Object.values(statuses).filter((value) => Array.isArray(value))

/** Lists of statuses and billing types that appear in the code a second time, as sentences. */
export function checkWordLists(sources: ReadonlyMap<string, string>): { complaints: string[]; lists: number } {
  const complaints = [...sources]
    .filter(([path]) => !homes.includes(path) && !/(\.test\.tsx?$|^(e2e|sandbox|server\/testing)\/)/.test(path))
    .flatMap(([path, source]) => copiesIn(source).map((copy) => `${path} lists ${copy}: import it from ${homes[0]}`))
  return { complaints, lists: lists.length }
}

/** All of a list in a row, or three of its words: `'a', 'b'` as an array and in SQL, `'a' | 'b'` as a type. */
function copiesIn(source: string): string[] {
  const found = lists.flatMap((words) => {
    const word = `(['"\`])(?:${words.join('|')})\\1`
    const rest = `(?:\\s*[,|]\\s*(['"\`])(?:${words.join('|')})\\2){${Math.min(words.length, 3) - 1},}`
    return [...source.matchAll(new RegExp(word + rest, 'g'))].map(([copy]) => copy.replaceAll(/\s+/g, ' '))
  })
  return [...new Set(found)]
}
