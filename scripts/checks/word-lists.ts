import * as statuses from '#contract/statuses.ts'

/** Where the lists are; two stand apart, because every page needs them. */
const homes = ['contract/statuses.ts', 'contract/roles.ts', 'contract/billing-types.ts']
const lists = Object.values(statuses).filter((value) => Array.isArray(value))

/** Lists of statuses and billing types that appear in the code a second time, as sentences. */
export function checkWordLists(sources: ReadonlyMap<string, string>): {
  complaints: string[]
  lists: number
} {
  const complaints = [...sources]
    .filter(
      ([path]) => !homes.includes(path) && !/(\.test\.tsx?$|^(e2e|sandbox|server\/testing)\/)/.test(path),
    )
    .flatMap(([path, source]) =>
      copiesIn(source).map((copy) => `${path} lists ${copy}: import it from ${homes[0]}`),
    )
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
