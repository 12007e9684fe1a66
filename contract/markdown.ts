/** The little Markdown that `content/` and newsletters use, as data: whatever renders it never parses HTML. */

export type Inline = { text: string; as?: 'bold' | 'code' | 'link'; href?: string }
export type Block = { kind: 'paragraph'; inline: Inline[] } | { kind: 'list'; isOrdered: boolean; items: Inline[][] }
export type Heading = { kind: 'heading'; text: string }
/** A picture on a line of its own; email clients load it from its address. */
export type Picture = { kind: 'picture'; alt: string; url: string }
/** `### Title {eu}` is shown only where `only` is the setting CONSUMER_LAW. */
type MarkdownSection = { id: string; title: string; only: string | undefined; blocks: Block[] }
export type ContentSection = MarkdownSection & { parts: MarkdownSection[] }
/** Paragraphs of the lead are separated by an empty line. */
export type ContentPage = { title: string; lead: string; sections: ContentSection[] }

const idOf = (title: string) =>
  title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')

export function parseContent(markdown: string): ContentPage {
  const page: ContentPage = { title: '', lead: '', sections: [] }
  for (const text of markdown.trim().split(/\n{2,}/)) {
    const [, level = '', title = '', only] = /^(#{1,3}) (.+?)(?: \{(\w+)\})?$/.exec(text) ?? []
    const section = page.sections.at(-1)
    const part = { id: idOf(title), title, only, blocks: [] }
    if (level === '#') page.title = title
    else if (level === '##') page.sections.push({ ...part, parts: [] })
    else if (level === '###') section?.parts.push(part)
    else if (section) (section.parts.at(-1) ?? section).blocks.push(parseBlock(text))
    else page.lead += (page.lead && '\n\n') + joined(text)
  }
  return page
}

/** A text without sections of its own, such as a newsletter's. A heading needs no empty lines around it. */
export const parseBlocks = (markdown: string): (Block | Heading | Picture)[] =>
  markdown
    .replaceAll('\r\n', '\n')
    .replaceAll(/^#{1,3} .+$/gm, '\n$&\n')
    .replaceAll(/^!\[[^\]\n]*\]\(https:\/\/[^)\s]+\)$/gm, '\n$&\n')
    .trim()
    .split(/\n{2,}/)
    .map((text) => {
      const [, heading] = /^#{1,3} (.+)$/.exec(text) ?? []
      if (heading) return { kind: 'heading', text: heading }
      const [, alt = '', url] = /^!\[([^\]]*)\]\((https:\/\/[^)\s]+)\)$/.exec(text) ?? []
      return url ? { kind: 'picture', alt, url } : parseBlock(text)
    })

const joined = (text: string) => text.replaceAll(/\n\s*/g, ' ')

function parseBlock(text: string): Block {
  const [marker] = /^(- |\d+\. )/.exec(text) ?? []
  if (!marker) return { kind: 'paragraph', inline: parseInline(joined(text)) }
  const items = text.split(/\n(?=- |\d+\. )/).map((item) => joined(item).replace(/^(- |\d+\. )/, ''))
  return { kind: 'list', isOrdered: marker !== '- ', items: items.map(parseInline) }
}

// Bounded, and without the character that begins them: a text of brackets must not take quadratic time.
const marks =
  /\*\*(?<bold>[^*]{1,2000})\*\*|`(?<code>[^`]{1,2000})`|\[(?<link>[^\][]{1,500})\]\((?<href>[^)\s]{1,2000})\)/g

function parseInline(text: string): Inline[] {
  const found: Inline[] = []
  let end = 0
  for (const { index, groups = {}, 0: all } of text.matchAll(marks)) {
    if (index > end) found.push({ text: text.slice(end, index) })
    const { bold, code, link, href } = groups
    if (bold) found.push({ text: bold, as: 'bold' })
    else if (code) found.push({ text: code, as: 'code' })
    else found.push({ text: link ?? '', as: 'link', href: href ?? '' })
    end = index + all.length
  }
  return end < text.length ? [...found, { text: text.slice(end) }] : found
}

export const plainText = (blocks: Block[]) =>
  blocks
    .flatMap((block) => (block.kind === 'list' ? block.items : [block.inline]))
    .map((inline) => inline.map(({ text }) => text).join(''))
    .join(' ')
