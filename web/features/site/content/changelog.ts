import source from '#content/changelog.md?raw'
import { parseContent } from '#contract/markdown.ts'

const { title, lead, sections } = parseContent(source)

const texts = source
  .split(/^## .*$/m)
  .slice(1)
  .map((text) => text.trim())

/** Newest first: each section's title begins with its date. */
export const changelog = {
  title,
  lead,
  entries: sections.map(({ title: named, id, blocks }, index) => {
    const [, date = '', name = named] = /^(\d{4}-\d{2}-\d{2}) (.+)$/.exec(named) ?? []
    return { id, date, title: name, blocks, markdown: texts[index] ?? '' }
  }),
}
