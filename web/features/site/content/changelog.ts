import source from '#content/changelog.md?raw'
import { parseContent } from '#contract/markdown.ts'
import type { SiteSettings } from '#contract/site/site-settings.ts'
import { fillPlaceholders } from '#web/api/page-texts.ts'

/** Parses the changelog; each section is an entry, and its title begins with the date. Newest first. */
export function changelogOf(products: SiteSettings['products']) {
  const markdown = fillPlaceholders(source, products)
  const { title, lead, sections } = parseContent(markdown)
  const sectionMarkdown = markdown
    .split(/^## .*$/m)
    .slice(1)
    .map((text) => text.trim())
  return {
    title,
    lead,
    entries: sections.map((section, index) => {
      const [, date = '', name = section.title] = /^(\d{4}-\d{2}-\d{2}) (.+)$/.exec(section.title) ?? []
      return { id: section.id, date, title: name, blocks: section.blocks, markdown: sectionMarkdown[index] ?? '' }
    }),
  }
}
