import { Refusal } from '../errors.ts'

/** Time and id of a page's last row; the next page starts after it. */
export type Cursor = { at: Date; id: string }

export type HistoryPart = { before: Date; limit: number }

export type Page<Item> = { items: Item[]; next: string | undefined }

export const encodeCursor = ({ at, id }: Cursor) => Buffer.from(`${at.getTime()} ${id}`).toString('base64url')

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'

export function decodeCursor(cursor: string | undefined, idPattern = uuid): Cursor | undefined {
  if (cursor === undefined) return undefined
  const text = Buffer.from(cursor, 'base64url').toString()
  const [, at, id] = new RegExp(`^(\\d{1,13}) (${idPattern})$`).exec(text) ?? []
  if (!at || !id) throw new Refusal(400, 'invalid-input', 'This is not a valid cursor')
  return { at: new Date(Number(at)), id }
}

/** Page of `rows`, which must contain one row more than `limit` if there is a next page. */
export function pageOf<Item>(rows: Item[], limit: number, positionOf: (row: Item) => Cursor): Page<Item> {
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  return { items, next: rows.length > limit && last ? encodeCursor(positionOf(last)) : undefined }
}

/** LIKE pattern for text in lower case. Puts a backslash before `%`, `_` and backslashes. */
export const containing = (word: string) => `%${word.toLowerCase().replaceAll(/[\\%_]/g, String.raw`\$&`)}%`

/** Start and exclusive end of a year (`2026`) or month (`2026-03`), in UTC. */
export function boundsOf(period: string): [from: Date, until: Date] {
  const [year = 0, month] = period.split('-').map(Number)
  return month
    ? [new Date(Date.UTC(year, month - 1)), new Date(Date.UTC(year, month))]
    : [new Date(Date.UTC(year, 0)), new Date(Date.UTC(year + 1, 0))]
}
