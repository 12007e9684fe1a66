import source from '#content/changelog.md?raw'
import { parseContent } from '#contract/markdown.ts'
import type { SiteSettings } from '#contract/site/site-settings.ts'
import { fillPlaceholders } from '#web/api/page-texts.ts'

/** Newest first: each section's title begins with its date. */
export function changelogOf(products: SiteSettings['products']) {
  const filled = fillPlaceholders(source, products)
  const { title, lead, sections } = parseContent(filled)
  const texts = filled
    .split(/^## .*$/m)
    .slice(1)
    .map((text) => text.trim())
  return {
    title,
    lead,
    entries: sections.map(({ title: named, id, blocks }, index) => {
      const [, date = '', name = named] = /^(\d{4}-\d{2}-\d{2}) (.+)$/.exec(named) ?? []
      return { id, date, title: name, blocks, markdown: texts[index] ?? '' }
    }),
  }
}
