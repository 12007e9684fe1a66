/** Parser for the small part of Markdown that `content/` and newsletters use. Its output is data, never HTML. */

export type Inline = { text: string; as?: 'bold' | 'code' | 'link'; href?: string }
export type Block = { kind: 'paragraph'; inline: Inline[] } | { kind: 'list'; isOrdered: boolean; items: Inline[][] }
export type Heading = { kind: 'heading'; text: string }
/** A picture on a line of its own, which email clients load from `url`. */
export type Picture = { kind: 'picture'; alt: string; url: string }
/** `### Title {eu}` is shown only where `only` is the setting CONSUMER_LAW. */
type MarkdownSection = { id: string; title: string; only: string | undefined; blocks: Block[] }
export type ContentSection = MarkdownSection & { parts: MarkdownSection[] }
/** `lead` is the text before the first section; an empty line separates its paragraphs. */
export type ContentPage = { title: string; lead: string; sections: ContentSection[] }

const slugOf = (title: string) =>
  title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')

export function parseContent(markdown: string): ContentPage {
  const page: ContentPage = { title: '', lead: '', sections: [] }
  for (const text of markdown.trim().split(/\n{2,}/)) {
    const [, level = '', title = '', only] = /^(#{1,3}) (.+?)(?: \{(\w+)\})?$/.exec(text) ?? []
    const section = page.sections.at(-1)
    const part = { id: slugOf(title), title, only, blocks: [] }
    if (level === '#') page.title = title
    else if (level === '##') page.sections.push({ ...part, parts: [] })
    else if (level === '###') section?.parts.push(part)
    else if (section) (section.parts.at(-1) ?? section).blocks.push(parseBlock(text))
    else page.lead += (page.lead && '\n\n') + joinLines(text)
  }
  return page
}

/** Parses a text without sections, such as a newsletter. Headings and pictures need no empty lines around them. */
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

const joinLines = (text: string) => text.replaceAll(/\n\s*/g, ' ')

function parseBlock(text: string): Block {
  const [marker] = /^(- |\d+\. )/.exec(text) ?? []
  if (!marker) return { kind: 'paragraph', inline: parseInline(joinLines(text)) }
  const items = text.split(/\n(?=- |\d+\. )/).map((item) => joinLines(item).replace(/^(- |\d+\. )/, ''))
  return { kind: 'list', isOrdered: marker !== '- ', items: items.map(parseInline) }
}

// Each group is bounded and excludes its own opening character, so that a text of brackets is matched in linear time.
const inlineMarkup =
  /\*\*(?<bold>[^*]{1,2000})\*\*|`(?<code>[^`]{1,2000})`|\[(?<link>[^\][]{1,500})\]\((?<href>[^)\s]{1,2000})\)/g

function parseInline(text: string): Inline[] {
  const pieces: Inline[] = []
  let end = 0
  for (const { index, groups = {}, 0: match } of text.matchAll(inlineMarkup)) {
    if (index > end) pieces.push({ text: text.slice(end, index) })
    const { bold, code, link, href } = groups
    if (bold) pieces.push({ text: bold, as: 'bold' })
    else if (code) pieces.push({ text: code, as: 'code' })
    else pieces.push({ text: link ?? '', as: 'link', href: href ?? '' })
    end = index + match.length
  }
  return end < text.length ? [...pieces, { text: text.slice(end) }] : pieces
}

export const plainText = (blocks: Block[]) =>
  blocks
    .flatMap((block) => (block.kind === 'list' ? block.items : [block.inline]))
    .map((inline) => inline.map(({ text }) => text).join(''))
    .join(' ')
