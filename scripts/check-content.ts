import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod/mini'
import { brand } from '#contract/brand.ts'
import { parseContent } from '#contract/markdown.ts'
import { StartError } from '#server/errors.ts'
import { paths } from '#server/paths.ts'

const line = (most: number) =>
  z.string().check(z.minLength(1, 'is empty'), z.maxLength(most, `is over ${most} characters`))

const brandFile = z.object({
  name: line(60),
  headline: line(80),
  tagline: line(160),
  color: z.string().check(z.regex(/^#[0-9a-f]{6}$/i, 'must be a color like #007d55')),
  letter: line(2),
})

/** Texts that the layout of a page has a place for: how many sections each file has. */
const sections = { 'home.md': 4, 'about.md': 1 }

/** Throws with every fault of the seller's brand and pages at once. */
export function checkContent() {
  const faults = [
    ...(brandFile.safeParse(brand).error?.issues ?? []).map(
      ({ path, message }) => `content/brand.json: “${path.join('.')}” ${message}`,
    ),
    ...Object.entries(sections).flatMap(([file, count]) => {
      const found = parseContent(readFileSync(join(paths.root, 'content', file), 'utf8')).sections.length
      return found === count
        ? []
        : [`content/${file} has ${found} sections (##), but its page has a place for ${count}`]
    }),
  ]
  if (faults.length > 0) throw new StartError(faults.join('\n'))
}
