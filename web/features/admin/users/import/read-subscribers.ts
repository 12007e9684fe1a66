import { findProductByName, type ImportLine } from '#contract/admin/imports.ts'
import { normalizeUsername, parseUsername } from '#contract/tradingview-name.ts'
import { type Column, type Mapping, neededColumns, type ProductName, type Unmapped } from './column-mapping.ts'
import { parseCsv } from './csv.ts'
import { type DayOrder, orderOfDays, readDay } from './read-days.ts'

/** Titles that other shops give the columns, in lower case and letters only. */
const knownTitles: Record<Column, string[]> = {
  email: ['email', 'emailaddress', 'mail', 'customeremail', 'purchaseemail'],
  name: ['name', 'fullname', 'customername', 'customer', 'buyername'],
  tradingViewUsername: ['tradingviewusername', 'tradingview', 'tradingviewname', 'tvusername', 'username'],
  product: ['product', 'productname', 'itemname'],
  plan: ['plan', 'billing', 'billingtype', 'interval', 'subscription', 'recurrence'],
  paidUntil: [
    'paiduntil',
    'until',
    'validuntil',
    'ends',
    'endsat',
    'expires',
    'expiresat',
    'currentperiodend',
    'currentperiodendutc',
    'subscriptionenddate',
  ],
}
const columns = Object.keys(knownTitles) as Column[]

const maxLines = 10_000
const sampleCount = 3

type Subscribers =
  | { fault: string }
  | { unmapped: Unmapped }
  /** Example of a day whose order of day and month is not clear. */
  | { unclearDay: string }
  | { lines: ImportLine[]; repeated: ReadonlyMap<number, string>; unused: string[] }

type ReadOptions = { order?: DayOrder | undefined; chosenMapping?: Mapping | undefined; products?: ProductName[] }

export function readSubscribers(
  fileText: string,
  { order, chosenMapping, products = [] }: ReadOptions = {},
): Subscribers {
  const parsed = parseCsv(fileText)
  if ('unclosedIn' in parsed)
    return { fault: `A quotation mark in line ${parsed.unclosedIn} is never closed. Please correct that line.` }
  const [head, ...rows] = parsed.rows
  if (!head) return { fault: 'This file is empty.' }
  const titles = head.cells.map((cell) => cell.toLowerCase().replaceAll(/[^a-z]/g, ''))
  if (rows.length === 0) return { fault: 'There is no one in this file.' }
  const mapping = chosenMapping ?? guessMapping(titles, rows, products)
  if (neededColumns(products).some((column) => !mapping[column])) {
    const samples = rows.slice(0, sampleCount).map(({ cells }) => cells)
    return { unmapped: { titles: head.cells, samples, guessed: mapping } }
  }
  if (rows.length > maxLines)
    return { fault: `Please import at most ${maxLines.toLocaleString('en-US')} lines at a time.` }
  const usedPlaces = new Set<number>()
  for (const source of Object.values(mapping)) if ('place' in source) usedPlaces.add(source.place)
  const unused = head.cells.filter((title, place) => title !== '' && !usedPlaces.has(place))

  const lines = rows.map(({ line, cells }) => {
    const textOf = (column: Column) => {
      const source = mapping[column] ?? { text: '' }
      const text = 'text' in source ? source.text : (cells[source.place] ?? '')
      // PostgreSQL stores neither NUL characters nor half surrogate pairs.
      return text.replaceAll('\u0000', '').toWellFormed().slice(0, 300)
    }
    return {
      line,
      email: textOf('email'),
      name: textOf('name'),
      tradingViewUsername: textOf('tradingViewUsername'),
      product: textOf('product'),
      plan: textOf('plan'),
      paidUntil: textOf('paidUntil'),
    }
  })

  const days = orderOfDays(lines.map(({ paidUntil }) => paidUntil))
  if (days.unclear && !order) return { unclearDay: days.unclear }
  for (const line of lines) line.paidUntil = readDay(line.paidUntil, days.order ?? order)
  return { lines, repeated: findRepeatedLines(lines), unused }
}

/** A product column counts only if the shop sells every product in it. */
function guessMapping(titles: string[], rows: { cells: string[] }[], products: ProductName[]): Mapping {
  const mapping: Mapping = {}
  for (const column of columns) {
    const place = titles.findIndex((title) => knownTitles[column].includes(title))
    if (place === -1) continue
    const namesProducts =
      products.length > 1 && rows.every(({ cells }) => findProductByName(products, cells[place] ?? ''))
    if (column !== 'product' || namesProducts) mapping[column] = { place }
  }
  return mapping
}

/** Messages by line number, for lines whose email or username an earlier line has for the same product. */
function findRepeatedLines(lines: { line: number; email: string; tradingViewUsername: string; product: string }[]) {
  const firstLines = new Map<string, number>()
  const repeated = new Map<number, string>()
  for (const { line, email, tradingViewUsername, product } of lines) {
    const parsed = parseUsername(tradingViewUsername)
    const identities = {
      email: email.toLowerCase(),
      'TradingView username': 'username' in parsed ? `@${normalizeUsername(parsed.username)}` : '',
    }
    for (const [title, identity] of Object.entries(identities)) {
      if (!identity) continue
      const key = `${identity} ${product.toLowerCase()}`
      const earlierLine = firstLines.get(key)
      if (earlierLine && earlierLine !== line)
        repeated.set(line, `The same ${title} as in line ${earlierLine}. Please remove one of them.`)
      else firstLines.set(key, line)
    }
  }
  return repeated
}
