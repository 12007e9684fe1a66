import { timingSafeEqual } from 'node:crypto'
import type { Work } from '../work.ts'
import { date, money } from './html.ts'
import { billedTo, type Described, taxLines } from './invoice.ts'

/** What a credit note's PDF says; its address cannot be guessed. */
export async function findCreditNote(
  work: Work,
  id: string,
  secret: string,
  from: string,
): Promise<Described | undefined> {
  const note = await work.find('credit_note', id)
  const [right, given] = [Buffer.from(note?.$sandbox.secret ?? ''), Buffer.from(secret)]
  if (!note || right.length !== given.length || !timingSafeEqual(right, given)) return undefined
  const invoice = await work.get('invoice', note.invoice)
  const amount = (cents: number) => money(cents, note.currency)
  return {
    from,
    title: 'Credit note',
    number: note.number,
    status: 'Refunded',
    facts: [
      ['Number', note.number],
      ['Date of issue', date(note.created)],
      ['For invoice', invoice.number],
      ...billedTo(invoice),
    ] as [string, string][],
    lines: note.lines.data.map((line) => ({
      text: line.description,
      period: `Invoice of ${date(invoice.created)}`,
      quantity: '1',
      amount: amount(-line.amount),
    })),
    totals: [
      ...taxLines(invoice, note.total_taxes, (cents) => amount(-cents)),
      ['Total', amount(-note.total)],
    ] as [string, string][],
    footer: invoice.footer?.split('\n') ?? [],
    note: 'Test mode: this credit note was issued by the payment sandbox. No money has moved.',
  }
}
