import { readFileSync } from 'node:fs'
import type { Stripe } from 'stripe'
import type { EndReason, PurchaseStatus } from '#contract/statuses.ts'

/** The types require every value that Stripe can report. */
export const words = {
  status: Object.values({
    incomplete: ['incomplete'],
    incomplete_expired: ['incomplete_expired'],
    trialing: ['trialing'],
    // With or without `pause_collection`.
    active: ['active', 'not collected'],
    past_due: ['past_due'],
    unpaid: ['unpaid'],
    paused: ['paused', 'paused after a trial', 'paused unpaid'],
    canceled: ['canceled'],
  } satisfies Record<Stripe.Subscription.Status, string[]>).flat(),
  cancellation: ['none', 'scheduled'],
  invoice: Object.values({
    draft: ['draft'],
    open: ['open'],
    paid: ['paid'],
    uncollectible: ['uncollectible', 'never tried'],
    void: ['void'],
    none: ['none'],
  } satisfies Record<Stripe.Invoice.Status | 'none', string[]>).flat(),
  payment: ['none', 'kept', 'returned', 'charged back'],
}

export type StateAtStripe = Record<keyof typeof words, string>
export type Meaning = { purchase: PurchaseStatus | 'none'; endedBecause: EndReason | null; access: boolean }
type StateRow = { when: Record<keyof typeof words, string[]>; meaning: Meaning }

const document = new URL('../../docs/subscription-states.md', import.meta.url)

function readRow(line: string): StateRow {
  const [status = '', cancellation = '', invoice = '', payment = '', purchase = '', because, access] = line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim())
  const oneOf = (column: keyof typeof words, cell: string) => {
    const cellWords = cell === 'any' ? words[column] : cell.split(', ')
    const unknown = cellWords.find((word) => !words[column].includes(word))
    if (unknown !== undefined) throw new Error(`Stripe has no ${column} "${unknown}"`)
    return cellWords
  }
  return {
    when: {
      status: oneOf('status', status),
      cancellation: oneOf('cancellation', cancellation),
      invoice: oneOf('invoice', invoice),
      payment: oneOf('payment', payment),
    },
    meaning: {
      purchase: purchase as Meaning['purchase'],
      endedBecause: because === '–' ? null : (because as EndReason),
      access: access === 'yes',
    },
  }
}

const tableLines = readFileSync(document, 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('|'))
const [_header, _separator, ...rowLines] = tableLines
const rows = rowLines.map(readRow)

export function meaningOf(state: StateAtStripe): Meaning {
  const columns = Object.keys(words) as (keyof typeof words)[]
  const matches = ({ when }: StateRow) => columns.every((column) => when[column].includes(state[column]))
  const [row, secondRow] = rows.filter(matches)
  if (!row || secondRow) throw new Error(`${JSON.stringify(state)} is in ${row ? 'two rows' : 'no row'}`)
  return row.meaning
}
