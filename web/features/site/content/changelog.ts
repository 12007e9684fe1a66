import source from '#content/changelog.md?raw'
import { parseContent } from '#web/ui/markdown.ts'

const { title, lead, sections } = parseContent(source)

/** Newest first: each section's title begins with its date. */
export const changelog = {
  title,
  lead,
  entries: sections.map(({ title: named, id, blocks }) => {
    const [, date = '', name = named] = /^(\d{4}-\d{2}-\d{2}) (.+)$/.exec(named) ?? []
    return { id, date, title: name, blocks }
  }),
}
