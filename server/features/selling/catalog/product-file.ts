import {
  type ListedProduct,
  type Prices,
  type ProductState,
  type ProductText,
  productStates,
} from '#contract/selling/product.ts'
import { billingTypes } from '#contract/statuses.ts'
import { StartError } from '#server/errors.ts'

/** A product as its file describes it. The prices are the first ones. */
export type ProductFile = {
  slug: string
  name: string
  state: ProductState
  /** Its place among the others; the first one on sale is the one that the home page shows. */
  order: number
  prices: Prices
  /** Advertised as the price once early access is over. */
  regular: Prices | null
  /** How many people may have it; the first product's number can be changed on the desk. */
  /** For its owners only; no page is made of it. */
  package: { indicatorUrl: string; strategyUrl: string; setupNotes: string[]; quickInstructions: string[] }
  listed: Omit<ListedProduct, 'slug' | 'name' | 'state' | 'reviews'>
  text: ProductText
}

type Line = { number: number; text: string }
type Section = { title: string; at: number; lines: Line[] }

const settings = ['name', 'state', 'order', ...billingTypes.flatMap((type) => [type, `regular ${type}`])]
const words = 'kind description includes list indicator strategy drawings preview'.split(' ')
const sectionNames = {
  card: 'Card',
  facts: 'Facts',
  benefits: 'Key Benefits',
  steps: 'How It Works',
  chart: 'Example Chart',
  contents: 'What You Get',
  questions: 'Frequently Asked Questions',
  order: 'Order',
  terms: 'Terms',
  setupNotes: 'Setup Notes',
  quickInstructions: 'Quick Instructions',
}

/** Reads `content/products/<slug>.md`. What is wrong with it stops the start, with the line to look at. */
export function readProductFile(path: string, source: string): ProductFile {
  const refuse = (line: number, what: string) => new StartError(`${path}, line ${line}: ${what}`)
  const slug = path.replace(/^.*\//, '').replace(/\.md$/, '')
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(slug))
    throw refuse(1, 'a file’s name is the product’s address: lower-case letters, digits, and hyphens')
  const lines = source.split(/\r?\n/).map((text, index) => ({ number: index + 1, text: text.trim() }))
  const end = lines.findIndex(({ text }, index) => index > 0 && text === '---')
  if (lines[0]?.text !== '---' || end < 0) throw refuse(1, 'the file begins with settings between two lines “---”')

  const given = new Map<string, { value: string; number: number }>()
  for (const { text, number } of lines.slice(1, end).filter((line) => line.text)) {
    const [, key = '', value = ''] = /^([a-z ]+):\s*(.*)$/.exec(text) ?? []
    if (![...settings, ...words].includes(key))
      throw refuse(number, `“${text.split(':')[0]}” is none of ${[...settings, ...words].join(', ')}`)
    if (given.has(key)) throw refuse(number, `“${key}” is there twice`)
    if (!value) throw refuse(number, `“${key}” is empty`)
    given.set(key, { value, number })
  }
  const needed = (key: string) => {
    const found = given.get(key)
    if (!found) throw refuse(end + 1, `“${key}” is missing above this line`)
    return found
  }
  const oneOf = <Word extends string>(key: string, allowed: readonly Word[]): Word => {
    const { value, number } = needed(key)
    const word = allowed.find((each) => each === value)
    if (!word) throw refuse(number, `“${key}” is “${value}”, but must be ${allowed.join(', or ')}`)
    return word
  }
  const price = (key: string) => {
    const { value, number } = needed(key)
    const [, dollars, cents = '00'] = /^\$?([1-9]\d{0,5})(?:\.(\d\d))?$/.exec(value) ?? []
    if (!dollars) throw refuse(number, `“${key}” is “${value}”, but must be a price like $39 or $39.50`)
    return Number(dollars) * 100 + Number(cents)
  }
  const order = Number(given.get('order')?.value ?? 100)
  if (!Number.isInteger(order)) throw refuse(needed('order').number, '“order” must be a whole number')
  const preview = given.get('preview')
  if (preview && !preview.value.startsWith('/'))
    throw refuse(preview.number, '“preview” must be an address on this site, like /name.png')

  const [first, ...sections] = sectionsOf(lines.slice(end + 1))
  const allowed = Object.values(sectionNames)
  for (const [index, { title, at }] of sections.entries()) {
    if (!allowed.includes(title)) throw refuse(at, `“${title}” is none of the sections ${allowed.join(', ')}`)
    if (sections.findIndex((other) => other.title === title) < index) throw refuse(at, `“${title}” is there twice`)
  }
  const section = (key: keyof typeof sectionNames) => {
    const found = sections.find(({ title }) => title === sectionNames[key])
    if (!found) throw refuse(lines.length, `the section “## ${sectionNames[key]}” is missing`)
    return found
  }
  const filled = <Content extends { length: number }>(content: Content, { at, title }: Section): Content => {
    if (content.length === 0)
      throw refuse(at, title ? `“${title}” has no text` : 'a text of the product is missing here')
    return content
  }
  const part = (key: keyof typeof sectionNames) => {
    const { lead, items } = partOf(section(key))
    filled(items, section(key))
    for (const item of items) filled(item.text, item)
    return { lead, items: items.map(({ title, text }) => ({ title, text })) }
  }
  const listed = (key: keyof typeof sectionNames) => {
    const wrong = section(key).lines.find(({ text }) => text && !text.startsWith('- '))
    if (wrong) throw refuse(wrong.number, `every line of “${sectionNames[key]}” begins with “- ”`)
    const items = section(key).lines.filter(({ text }) => text)
    return filled(items, section(key)).map(({ text, number }) => ({ text: text.slice(2), number }))
  }
  const chart = sections.some(({ title }) => title === sectionNames.chart) ? section('chart') : undefined
  const image = chart && /!\[(.+)\]\((\/\S+)\)/.exec(textOf(chart.lines))
  const drawings = given.has('drawings') ? oneOf('drawings', ['rebound']) : null
  if (chart && !drawings && !image) throw refuse(chart.at, 'the chart needs a picture: ![What it shows](/name.png)')

  return {
    slug,
    name: needed('name').value,
    state: oneOf('state', productStates),
    order,
    prices: { monthly: price('monthly'), yearly: price('yearly') },
    regular: given.has('regular monthly')
      ? { monthly: price('regular monthly'), yearly: price('regular yearly') }
      : null,
    listed: {
      list: given.get('list')?.value ?? null,
      includes: needed('includes').value,
      points: listed('order').map(({ text }) => text),
      card: filled(textOf(section('card').lines), section('card')),
      drawings,
      image: image ? { alt: image[1] ?? '', src: image[2] ?? '' } : null,
      terms: listed('terms').map(({ text }) => text),
    },
    package: {
      indicatorUrl: given.get('indicator')?.value ?? '',
      strategyUrl: given.get('strategy')?.value ?? '',
      setupNotes: listed('setupNotes').map(({ text }) => text),
      quickInstructions: listed('quickInstructions').map(({ text }) => text),
    },
    text: {
      kind: needed('kind').value,
      lead: first ? filled(textOf(first.lines), { ...first, at: end + 2 }) : '',
      description: needed('description').value,
      preview: preview?.value ?? null,
      facts: listed('facts').map(({ text, number }) => {
        const [, name, value] = /^([^:]+): (.+)$/.exec(text) ?? []
        if (!name || !value) throw refuse(number, 'a fact has a name and a value: “- Chart: Daily”')
        return { name, value }
      }),
      benefits: part('benefits'),
      steps: part('steps'),
      chart: chart
        ? {
            lead: textOf(chart.lines)
              .replace(image?.[0] ?? '', '')
              .trim(),
          }
        : null,
      contents: part('contents'),
      questions: part('questions').items,
    },
  }
}

function sectionsOf(lines: Line[], mark = '## '): Section[] {
  const sections: Section[] = [{ title: '', at: lines[0]?.number ?? 1, lines: [] }]
  for (const line of lines)
    if (line.text.startsWith(mark)) sections.push({ title: line.text.slice(mark.length), at: line.number, lines: [] })
    else sections.at(-1)?.lines.push(line)
  return sections
}

const textOf = (lines: Line[]) =>
  lines
    .map(({ text }) => text)
    .join(' ')
    .trim()

function partOf({ lines }: Section) {
  const [lead, ...items] = sectionsOf(lines, '### ')
  return { lead: textOf(lead?.lines ?? []), items: items.map((item) => ({ ...item, text: textOf(item.lines) })) }
}
