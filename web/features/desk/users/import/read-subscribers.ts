import type { ImportLine } from '#contract/desk/imports.ts'

type Column = Exclude<keyof ImportLine, 'line'>

/** What other shops call the columns, in lower case and without anything but letters. */
const names: Record<Column, string[]> = {
  email: ['email', 'emailaddress', 'mail', 'customeremail'],
  name: ['name', 'fullname', 'customername', 'customer'],
  tradingViewUsername: ['tradingviewusername', 'tradingview', 'tradingviewname', 'username'],
  plan: ['plan', 'billing', 'billingtype', 'interval', 'subscription'],
  paidUntil: ['paiduntil', 'until', 'validuntil', 'ends', 'endsat', 'expires', 'expiresat'],
}
const columns = Object.keys(names) as Column[]
const needed: [Column, string][] = [
  ['email', 'email'],
  ['plan', 'plan'],
  ['paidUntil', 'paid until'],
]

const mostLines = 10_000

/** The lines of the file, which of them repeat an earlier one's email, and what is wrong with all of it. */
type Subscribers = { lines: ImportLine[]; repeated: ReadonlyMap<number, number>; fault?: string }

export function readSubscribers(text: string): Subscribers {
  const [head, ...rows] = parseCsv(text)
  const refuse = (fault: string) => ({ lines: [], repeated: new Map(), fault })
  if (!head) return refuse('This file is empty.')
  const titles = head.cells.map((cell) => cell.toLowerCase().replaceAll(/[^a-z]/g, ''))
  const places = new Map(
    columns.map((column) => [column, titles.findIndex((title) => names[column].includes(title))]),
  )
  const missing = needed.filter(([column]) => places.get(column) === -1).map(([, title]) => title)
  if (missing.length > 0)
    return refuse(`The first line must name the columns. Missing: ${missing.join(', ')}.`)
  if (rows.length === 0) return refuse('There is no one in this file.')
  if (rows.length > mostLines)
    return refuse(`Please import at most ${mostLines.toLocaleString('en-US')} lines at a time.`)
  const lines = rows.map(({ line, cells }) => {
    // What cannot be stored is nothing that anyone typed.
    const cell = (column: Column) =>
      cells[places.get(column) ?? -1]?.replaceAll('\u0000', '').toWellFormed().slice(0, 300) ?? ''
    return {
      line,
      email: cell('email'),
      name: cell('name'),
      tradingViewUsername: cell('tradingViewUsername'),
      plan: cell('plan'),
      paidUntil: cell('paidUntil'),
    }
  })
  return { lines, repeated: repeatedIn(lines) }
}

/** Each line whose email an earlier one has, and which that is. */
function repeatedIn(lines: { line: number; email: string }[]) {
  const first = new Map<string, number>()
  const repeated = new Map<number, number>()
  for (const { line, email } of lines) {
    const earlier = first.get(email.toLowerCase())
    if (email && earlier) repeated.set(line, earlier)
    else first.set(email.toLowerCase(), line)
  }
  return repeated
}

type CsvRow = { line: number; cells: string[] }

/**
 * The rows of a CSV file that aren't empty, each with the number of the line it starts on. Separated by commas, semicolons
 * or tabs, whichever its first line has most of: German and Swiss spreadsheets write semicolons.
 */
function parseCsv(text: string): CsvRow[] {
  const content = text.replace(/^\uFEFF/, '')
  const separator = separatorOf(content)
  const rows: CsvRow[] = []
  let [line, start, cell, isQuoted] = [1, 1, '', false]
  let cells: string[] = []
  const endCell = () => {
    cells.push(cell.trim())
    cell = ''
  }
  const endRow = () => {
    endCell()
    if (cells.some((each) => each !== '')) rows.push({ line: start, cells })
    cells = []
    start = line
  }
  for (let at = 0; at < content.length; at++) {
    const character = content.charAt(at)
    if (character === '\n') line += 1
    if (isQuoted && character === '"' && content.charAt(at + 1) === '"') {
      cell += '"'
      at += 1
    } else if (isQuoted) {
      if (character === '"') isQuoted = false
      else cell += character
    } else if (character === '"' && cell.trim() === '') {
      cell = ''
      isQuoted = true
    } else if (character === separator) endCell()
    else if (character === '\n') endRow()
    else if (character !== '\r') cell += character
  }
  endRow()
  return rows
}

function separatorOf(content: string) {
  const first = content.split('\n', 1)[0] ?? ''
  const count = (separator: string) => first.split(separator).length
  return [',', ';', '\t'].toSorted((a, b) => count(b) - count(a))[0]
}
