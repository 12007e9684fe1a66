import { type BillingType, billingTypes, type Prices } from '#contract/plans.ts'
import { type ListedProduct, type ProductState, type ProductText, productStates } from '#contract/selling/product.ts'
import { StartError } from '#server/errors.ts'

export type ProductFile = {
  slug: string
  name: string
  state: ProductState
  /** Position among products; null comes last. The home page shows the first one on sale. */
  order: number | null
  /** Initial prices in cents, one for each plan that the product sells. */
  prices: Prices
  /** Advertised as the prices after early access, in cents. */
  regular: Prices | null
  /** For owners only; never part of a public page. */
  package: { indicatorUrl: string; strategyUrl: string; setupNotes: string[]; quickInstructions: string[] }
  listed: Omit<ListedProduct, 'slug' | 'name' | 'state' | 'reviews' | 'unlocksItself'>
  text: ProductText
}

type Line = { number: number; text: string }
type Section = { title: string; lineNumber: number; lines: Line[] }
type Setting = { value: string; lineNumber: number }

const settingNames = [
  'name',
  'state',
  'order',
  ...billingTypes.flatMap((type) => [type, `regular ${type}`]),
  ...'kind description includes list indicator strategy drawings preview'.split(' '),
]
const sectionTitles = {
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

export function readProductFile(path: string, source: string): ProductFile {
  const faults: { lineNumber: number; message: string }[] = []
  const report: ReportFault = (lineNumber, message) => void faults.push({ lineNumber, message })
  const file = parseProductFile(path, source, report)
  if (file && faults.length === 0) return file
  throw new StartError(
    faults
      .toSorted((a, b) => a.lineNumber - b.lineNumber)
      .map(({ lineNumber, message }) => `${path}, line ${lineNumber}: ${message}`)
      .join('\n'),
  )
}

type ReportFault = (lineNumber: number, message: string) => void

/** Continues with an empty value after a fault, so that all faults are reported. */
function parseProductFile(path: string, source: string, report: ReportFault): ProductFile | undefined {
  const slug = path.replace(/^.*\//, '').replace(/\.md$/, '')
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(slug))
    report(1, 'a file’s name is the product’s address: lower-case letters, digits, and hyphens')
  const lines = source.split(/\r?\n/).map((text, index) => ({ number: index + 1, text: text.trim() }))
  const settingsEnd = lines.findIndex(({ text }, index) => index > 0 && text === '---')
  if (lines[0]?.text !== '---' || settingsEnd < 0) {
    report(1, 'the file begins with settings between two lines “---”')
    return undefined
  }

  // Lines are numbered from 1.
  const closingLineNumber = settingsEnd + 1
  const { settings, requireSetting, readChoice, readPrice } = readSettings(lines.slice(1, settingsEnd), report)
  const order = readOrder(settings.get('order'), report)
  for (const key of ['indicator', 'strategy']) {
    const link = settings.get(key)
    if (link && !/^https:\/\/\S+$/.test(link.value))
      report(link.lineNumber, `“${key}” must be an address that starts with https://`)
  }
  const soldPlans = billingTypes.filter((key) => settings.has(key))
  if (soldPlans.length === 0)
    report(closingLineNumber, `a plan is missing above this line: ${billingTypes.join(', or ')}`)
  const hasRegularPrices = soldPlans.some((key) => settings.has(`regular ${key}`))
  const preview = settings.get('preview')
  if (preview && !preview.value.startsWith('/'))
    report(preview.lineNumber, '“preview” must be an address on this site, like /name.png')

  const [lead, ...sections] = splitSections(lines.slice(settingsEnd + 1), closingLineNumber + 1)
  const { requireSection, requireContent, readItems, readList } = readSections(sections, lines.length, report)
  const readTexts = (key: SectionKey) => readList(key).map(({ text }) => text)
  const card = requireSection('card')
  const chart = sections.find(({ title }) => title === sectionTitles.chart)
  const chartText = chart ? textOf(chart.lines) : ''
  const image = /!\[(.+)\]\((\/\S+)\)/.exec(chartText)
  const chartLead = chartText.replace(image?.[0] ?? '', '').trim()
  const drawings = settings.has('drawings') ? readChoice('drawings', ['rebound']) : null
  if (chart && !drawings && !image) report(chart.lineNumber, 'the chart needs a picture: ![What it shows](/name.png)')

  return {
    slug,
    name: requireSetting('name').value,
    state: readChoice('state', productStates),
    order,
    prices: readPrices(soldPlans, readPrice),
    regular: hasRegularPrices ? readPrices(soldPlans, (key) => readPrice(`regular ${key}`)) : null,
    listed: {
      list: settings.get('list')?.value ?? null,
      includes: requireSetting('includes').value,
      points: readTexts('order'),
      card: card ? requireContent(textOf(card.lines), card) : '',
      drawings,
      image: image ? { alt: image[1] ?? '', src: image[2] ?? '' } : null,
      terms: readTexts('terms'),
    },
    package: {
      indicatorUrl: settings.get('indicator')?.value ?? '',
      strategyUrl: settings.get('strategy')?.value ?? '',
      setupNotes: readTexts('setupNotes'),
      quickInstructions: readTexts('quickInstructions'),
    },
    text: {
      kind: requireSetting('kind').value,
      lead: lead ? requireContent(textOf(lead.lines), lead) : '',
      description: requireSetting('description').value,
      preview: preview?.value ?? null,
      facts: readList('facts').map(({ text, number }) => {
        const [, name, value] = /^([^:]+): (.+)$/.exec(text) ?? []
        if (!name || !value) report(number, 'a fact has a name and a value: “- Chart: Daily”')
        return { name: name ?? '', value: value ?? '' }
      }),
      benefits: readItems('benefits'),
      steps: readItems('steps'),
      chart: chart ? { lead: chartLead } : null,
      contents: readItems('contents'),
      questions: readItems('questions').items,
    },
  }
}

function readOrder(setting: Setting | undefined, report: ReportFault): number | null {
  if (!setting) return null
  const order = Number(setting.value)
  if (!Number.isInteger(order)) report(setting.lineNumber, '“order” must be a whole number')
  return order
}

const readPrices = (plans: BillingType[], readPrice: (plan: BillingType) => number): Prices =>
  Object.fromEntries(plans.map((plan) => [plan, readPrice(plan)]))

function readSettings(lines: Line[], report: ReportFault) {
  const settings = new Map<string, Setting>()
  for (const { text, number: lineNumber } of lines.filter((line) => line.text)) {
    const [, key = '', value = ''] = /^([a-z -]+):\s*(.*)$/.exec(text) ?? []
    if (!settingNames.includes(key)) report(lineNumber, `“${text.split(':')[0]}” is none of ${settingNames.join(', ')}`)
    else if (settings.has(key)) report(lineNumber, `“${key}” is there twice`)
    else if (value) settings.set(key, { value, lineNumber })
    else report(lineNumber, `“${key}” is empty`)
  }
  const closingLineNumber = lines.length + 2
  const requireSetting = (key: string): Setting => {
    const setting = settings.get(key)
    if (!setting) report(closingLineNumber, `“${key}” is missing above this line`)
    return setting ?? { value: '', lineNumber: 0 }
  }
  const readChoice = <Choice extends string>(key: string, choices: readonly [Choice, ...Choice[]]): Choice => {
    const { value, lineNumber } = requireSetting(key)
    const choice = choices.find((each) => each === value)
    if (value && !choice) report(lineNumber, `“${key}” is “${value}”, but must be ${choices.join(', or ')}`)
    return choice ?? choices[0]
  }
  const readPrice = (key: string) => {
    const { value, lineNumber } = requireSetting(key)
    const [, dollars, cents = '00'] = /^\$?([1-9]\d{0,5})(?:\.(\d\d))?$/.exec(value) ?? []
    if (value && !dollars) report(lineNumber, `“${key}” is “${value}”, but must be a price like $39 or $39.50`)
    return Number(dollars) * 100 + Number(cents)
  }
  return { settings, requireSetting, readChoice, readPrice }
}

type SectionKey = keyof typeof sectionTitles

function readSections(sections: Section[], lastLineNumber: number, report: ReportFault) {
  const allowedTitles = Object.values(sectionTitles)
  for (const [index, { title, lineNumber }] of sections.entries()) {
    const isRepeated = sections.findIndex((other) => other.title === title) < index
    if (!allowedTitles.includes(title))
      report(lineNumber, `“${title}” is none of the sections ${allowedTitles.join(', ')}`)
    else if (isRepeated) report(lineNumber, `“${title}” is there twice`)
  }
  const requireSection = (key: SectionKey): Section | undefined => {
    const section = sections.find(({ title }) => title === sectionTitles[key])
    if (!section) report(lastLineNumber, `the section “## ${sectionTitles[key]}” is missing`)
    return section
  }
  const requireContent = <Content extends { length: number }>(
    content: Content,
    { lineNumber, title }: Section,
  ): Content => {
    if (content.length === 0)
      report(lineNumber, title ? `“${title}” has no text` : 'a text of the product is missing here')
    return content
  }
  const readItems = (key: SectionKey) => {
    const section = requireSection(key)
    if (!section) return { lead: '', items: [] }
    const { lead, items } = splitItems(section)
    requireContent(items, section)
    for (const item of items) requireContent(item.text, item)
    return { lead, items: items.map(({ title, text }) => ({ title, text })) }
  }
  const readList = (key: SectionKey): Line[] => {
    const section = requireSection(key)
    if (!section) return []
    const filledLines = section.lines.filter(({ text }) => text)
    for (const { text, number } of filledLines)
      if (!text.startsWith('- ')) report(number, `every line of “${sectionTitles[key]}” begins with “- ”`)
    return requireContent(filledLines, section).map(({ text, number }) => ({ text: text.slice(2), number }))
  }
  return { requireSection, requireContent, readItems, readList }
}

/** The first section is the text before the first heading and has no title. */
function splitSections(lines: Line[], firstLineNumber: number, headingMark = '## '): Section[] {
  const sections: Section[] = [{ title: '', lineNumber: firstLineNumber, lines: [] }]
  for (const line of lines)
    if (line.text.startsWith(headingMark))
      sections.push({ title: line.text.slice(headingMark.length), lineNumber: line.number, lines: [] })
    else sections.at(-1)?.lines.push(line)
  return sections
}

const textOf = (lines: Line[]) =>
  lines
    .map(({ text }) => text)
    .join(' ')
    .trim()

function splitItems({ lines, lineNumber }: Section) {
  const [lead, ...items] = splitSections(lines, lineNumber + 1, '### ')
  return { lead: textOf(lead?.lines ?? []), items: items.map((item) => ({ ...item, text: textOf(item.lines) })) }
}
