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
      while (
        index + length < lines.length &&
        original[earlier.index + length]?.text === lines[index + length]?.text
      )
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
