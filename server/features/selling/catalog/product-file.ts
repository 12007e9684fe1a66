import { type BillingType, billingTypes, type Prices } from '#contract/plans.ts'
import { type ListedProduct, type ProductState, type ProductText, productStates } from '#contract/selling/product.ts'
import { StartError } from '#server/errors.ts'

/** Product as its file describes it. `prices` are the initial ones, and name the plans it sells. */
export type ProductFile = {
  slug: string
  name: string
  state: ProductState
  /** Position among products; null comes last. The home page shows the first one on sale. */
  order: number | null
  prices: Prices
  /** Advertised as the price once early access is over. */
  regular: Prices | null
  /** For owners only; never part of a public page. */
  package: { indicatorUrl: string; strategyUrl: string; setupNotes: string[]; quickInstructions: string[] }
  listed: Omit<ListedProduct, 'slug' | 'name' | 'state' | 'reviews' | 'unlocksItself'>
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

/** Reads `content/products/<slug>.md`; throws one `StartError` with every fault and its line. */
export function readProductFile(path: string, source: string): ProductFile {
  const faults: { line: number; what: string }[] = []
  const report = (line: number, what: string) => void faults.push({ line, what })
  const file = parseProductFile(path, source, report)
  if (file && faults.length === 0) return file
  throw new StartError(
    faults
      .toSorted((a, b) => a.line - b.line)
      .map(({ line, what }) => `${path}, line ${line}: ${what}`)
      .join('\n'),
  )
}

type Report = (line: number, what: string) => void

/** Continues with an empty value after a fault, so that all faults are reported. */
function parseProductFile(path: string, source: string, report: Report): ProductFile | undefined {
  const slug = path.replace(/^.*\//, '').replace(/\.md$/, '')
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(slug))
    report(1, 'a file’s name is the product’s address: lower-case letters, digits, and hyphens')
  const lines = source.split(/\r?\n/).map((text, index) => ({ number: index + 1, text: text.trim() }))
  const end = lines.findIndex(({ text }, index) => index > 0 && text === '---')
  if (lines[0]?.text !== '---' || end < 0) {
    report(1, 'the file begins with settings between two lines “---”')
    return undefined
  }

  const { given, needed, oneOf, price } = readSettings(lines.slice(1, end), report)
  const order = given.has('order') ? Number(needed('order').value) : null
  if (order !== null && !Number.isInteger(order)) report(needed('order').number, '“order” must be a whole number')
  for (const key of ['indicator', 'strategy']) {
    const link = given.get(key)
    if (link && !/^https:\/\/\S+$/.test(link.value))
      report(link.number, `“${key}” must be an address that starts with https://`)
  }
  const sold = billingTypes.filter((key) => given.has(key))
  if (sold.length === 0) report(end + 1, `a plan is missing above this line: ${billingTypes.join(', or ')}`)
  const preview = given.get('preview')
  if (preview && !preview.value.startsWith('/'))
    report(preview.number, '“preview” must be an address on this site, like /name.png')

  const [first, ...sections] = sectionsOf(lines.slice(end + 1))
  const { section, filled, part, listed } = readSections(sections, lines.length, report)
  const card = section('card')
  const chart = sections.find(({ title }) => title === sectionNames.chart)
  const image = chart && /!\[(.+)\]\((\/\S+)\)/.exec(textOf(chart.lines))
  const drawings = given.has('drawings') ? oneOf('drawings', ['rebound']) : null
  if (chart && !drawings && !image) report(chart.at, 'the chart needs a picture: ![What it shows](/name.png)')

  return {
    slug,
    name: needed('name').value,
    state: oneOf('state', productStates),
    order,
    prices: pricesOf(sold, price),
    regular: sold.some((key) => given.has(`regular ${key}`)) ? pricesOf(sold, (key) => price(`regular ${key}`)) : null,
    listed: {
      list: given.get('list')?.value ?? null,
      includes: needed('includes').value,
      points: listed('order').map(({ text }) => text),
      card: card ? filled(textOf(card.lines), card) : '',
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
        if (!name || !value) report(number, 'a fact has a name and a value: “- Chart: Daily”')
        return { name: name ?? '', value: value ?? '' }
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

const pricesOf = (keys: BillingType[], price: (key: BillingType) => number): Prices =>
  Object.fromEntries(keys.map((key) => [key, price(key)]))

/** The settings of a file by their names. */
function readSettings(lines: Line[], report: Report) {
  const given = new Map<string, { value: string; number: number }>()
  for (const { text, number } of lines.filter((line) => line.text)) {
    const [, key = '', value = ''] = /^([a-z -]+):\s*(.*)$/.exec(text) ?? []
    if (![...settings, ...words].includes(key))
      report(number, `“${text.split(':')[0]}” is none of ${[...settings, ...words].join(', ')}`)
    else if (given.has(key)) report(number, `“${key}” is there twice`)
    else if (value) given.set(key, { value, number })
    else report(number, `“${key}” is empty`)
  }
  const needed = (key: string) => {
    const found = given.get(key)
    if (!found) report(lines.length + 2, `“${key}” is missing above this line`)
    return found ?? { value: '', number: 0 }
  }
  const oneOf = <Word extends string>(key: string, allowed: readonly [Word, ...Word[]]): Word => {
    const { value, number } = needed(key)
    const word = allowed.find((each) => each === value)
    if (value && !word) report(number, `“${key}” is “${value}”, but must be ${allowed.join(', or ')}`)
    return word ?? allowed[0]
  }
  const price = (key: string) => {
    const { value, number } = needed(key)
    const [, dollars, cents = '00'] = /^\$?([1-9]\d{0,5})(?:\.(\d\d))?$/.exec(value) ?? []
    if (value && !dollars) report(number, `“${key}” is “${value}”, but must be a price like $39 or $39.50`)
    return Number(dollars) * 100 + Number(cents)
  }
  return { given, needed, oneOf, price }
}

/** The sections of a file by their keys. */
function readSections(sections: Section[], lastLine: number, report: Report) {
  const allowed = Object.values(sectionNames)
  for (const [index, { title, at }] of sections.entries()) {
    if (!allowed.includes(title)) report(at, `“${title}” is none of the sections ${allowed.join(', ')}`)
    else if (sections.findIndex((other) => other.title === title) < index) report(at, `“${title}” is there twice`)
  }
  /** Undefined and reported if it is missing. */
  const section = (key: keyof typeof sectionNames) => {
    const found = sections.find(({ title }) => title === sectionNames[key])
    if (!found) report(lastLine, `the section “## ${sectionNames[key]}” is missing`)
    return found
  }
  const filled = <Content extends { length: number }>(content: Content, { at, title }: Section): Content => {
    if (content.length === 0) report(at, title ? `“${title}” has no text` : 'a text of the product is missing here')
    return content
  }
  const part = (key: keyof typeof sectionNames) => {
    const found = section(key)
    if (!found) return { lead: '', items: [] }
    const { lead, items } = partOf(found)
    filled(items, found)
    for (const item of items) filled(item.text, item)
    return { lead, items: items.map(({ title, text }) => ({ title, text })) }
  }
  const listed = (key: keyof typeof sectionNames) => {
    const found = section(key)
    if (!found) return []
    const texts = found.lines.filter(({ text }) => text)
    for (const { text, number } of texts)
      if (!text.startsWith('- ')) report(number, `every line of “${sectionNames[key]}” begins with “- ”`)
    return filled(texts, found).map(({ text, number }) => ({ text: text.slice(2), number }))
  }
  return { section, filled, part, listed }
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
