import type { ImportLine } from '#contract/desk/imports.ts'
import { parseCsv } from './parse-csv.ts'

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
export type Subscribers = { lines: ImportLine[]; repeated: ReadonlyMap<number, number>; fault?: string }

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
  if (rows.length === 0) return refuse('There is nobody in this file.')
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
