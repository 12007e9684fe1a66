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

/** Matches `## Title {only}`; the braces are optional. */
const sectionHeading = /^(#{1,3}) (.+?)(?: \{(\w+)\})?$/

export function parseContent(markdown: string): ContentPage {
  const page: ContentPage = { title: '', lead: '', sections: [] }
  const leadParagraphs: string[] = []
  for (const text of markdown.trim().split(/\n{2,}/)) {
    const [, level = '', title = '', only] = sectionHeading.exec(text) ?? []
    const newSection = { id: slugOf(title), title, only, blocks: [] }
    const section = page.sections.at(-1)
    const innermost = section?.parts.at(-1) ?? section
    if (level === '#') page.title = title
    else if (level === '##') page.sections.push({ ...newSection, parts: [] })
    else if (level === '###') section?.parts.push(newSection)
    else if (innermost) innermost.blocks.push(parseBlock(text))
    else leadParagraphs.push(joinLines(text))
  }
  return { ...page, lead: leadParagraphs.join('\n\n') }
}

/** Parses a text without sections, such as a newsletter. Headings and pictures need no empty lines around them. */
export function parseBlocks(markdown: string): (Block | Heading | Picture)[] {
  const separated = markdown
    .replaceAll('\r\n', '\n')
    .replaceAll(/^#{1,3} .+$/gm, '\n$&\n')
    .replaceAll(/^!\[[^\]\n]*\]\(https:\/\/[^)\s]+\)$/gm, '\n$&\n')
  const texts = separated.trim().split(/\n{2,}/)
  return texts.map((text) => {
    const [, heading] = /^#{1,3} (.+)$/.exec(text) ?? []
    if (heading) return { kind: 'heading', text: heading }
    const [, alt = '', url] = /^!\[([^\]]*)\]\((https:\/\/[^)\s]+)\)$/.exec(text) ?? []
    return url ? { kind: 'picture', alt, url } : parseBlock(text)
  })
}

const joinLines = (text: string) => text.replaceAll(/\n\s*/g, ' ')

function parseBlock(text: string): Block {
  const [marker] = /^(- |\d+\. )/.exec(text) ?? []
  if (!marker) return { kind: 'paragraph', inline: parseInline(joinLines(text)) }
  const items = text.split(/\n(?=- |\d+\. )/).map((item) => joinLines(item).replace(/^(- |\d+\. )/, ''))
  return { kind: 'list', isOrdered: marker !== '- ', items: items.map(parseInline) }
}

/** Takes linear time even for a text of brackets, because each group is bounded and excludes its opening character. */
const inlineMarkup =
  /\*\*(?<bold>[^*]{1,2000})\*\*|`(?<code>[^`]{1,2000})`|\[(?<link>[^\][]{1,500})\]\((?<href>[^)\s]{1,2000})\)/g

function parseInline(text: string): Inline[] {
  const pieces: Inline[] = []
  let parsedTo = 0
  for (const { index, groups = {}, 0: match } of text.matchAll(inlineMarkup)) {
    if (index > parsedTo) pieces.push({ text: text.slice(parsedTo, index) })
    const { bold, code, link, href } = groups
    if (bold) pieces.push({ text: bold, as: 'bold' })
    else if (code) pieces.push({ text: code, as: 'code' })
    else pieces.push({ text: link ?? '', as: 'link', href: href ?? '' })
    parsedTo = index + match.length
  }
  if (parsedTo < text.length) pieces.push({ text: text.slice(parsedTo) })
  return pieces
}

export function plainText(blocks: Block[]) {
  const paragraphs = blocks.flatMap((block) => (block.kind === 'list' ? block.items : [block.inline]))
  return paragraphs.map((inline) => inline.map(({ text }) => text).join('')).join(' ')
}
