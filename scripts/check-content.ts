import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod/mini'
import { brand } from '#contract/brand.ts'
import { parseContent } from '#contract/markdown.ts'
import { StartError } from '#server/errors.ts'
import { paths } from '#server/paths.ts'

const lineField = (maxLength: number) =>
  z.string().check(z.minLength(1, 'is empty'), z.maxLength(maxLength, `is over ${maxLength} characters`))

const brandFile = z.object({
  name: lineField(60),
  headline: lineField(80),
  tagline: lineField(160),
  color: z.string().check(z.regex(/^#[0-9a-f]{6}$/i, 'must be a color like #007d55')),
  letter: lineField(2),
})

/** The page of each file has a place for this many sections. */
const sectionCounts = { 'home.md': 4, 'about.md': 1 }

export function checkContent() {
  const brandIssues = brandFile.safeParse(brand).error?.issues ?? []
  const faults = brandIssues.map(({ path, message }) => `content/brand.json: “${path.join('.')}” ${message}`)
  for (const [file, count] of Object.entries(sectionCounts)) {
    const text = readFileSync(join(paths.root, 'content', file), 'utf8')
    const { length: foundCount } = parseContent(text).sections
    if (foundCount !== count)
      faults.push(`content/${file} has ${foundCount} sections (##), but its page has a place for ${count}`)
  }
  if (faults.length > 0) throw new StartError(faults.join('\n'))
}
