import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'

/** What visitors of a lab's shop type: none of it may show up in what the shop says, whatever goes wrong. */
export const planted = { domain: 'lab.example', words: 'planted words of a visitor' }

/** Also a password's hash, and any other address. */
const personal = new RegExp(
  [planted.domain, planted.words, String.raw`\$argon2`, String.raw`[\w.+-]+@[a-z][\w-]*\.[a-z]{2,}`].join(
    '|',
  ),
  'i',
)

const leaks = new Set<string>()

/** Reads everything that a shop's process says. */
export function watchForLeaks(...streams: Readable[]) {
  for (const stream of streams)
    createInterface({ input: stream }).on('line', (line) => {
      const leak = personal.exec(line)
      if (leak && leaks.size < 20) leaks.add(line.slice(Math.max(0, leak.index - 100), leak.index + 60))
    })
}

/** In what all shops of this process have said. */
export const leaksSoFar = () => [...leaks]
