import { Refusal } from '../errors.ts'

/** Where a page ends: the moment and id of its last row. The next page begins strictly after it. */
export type Cursor = { at: Date; id: string }

export const encodeCursor = ({ at, id }: Cursor) => Buffer.from(`${at.getTime()} ${id}`).toString('base64url')

export function decodeCursor(cursor: string | undefined): Cursor | undefined {
  if (cursor === undefined) return undefined
  const match = /^(\d{1,15}) ([0-9a-f-]{1,36})$/.exec(Buffer.from(cursor, 'base64url').toString())
  const at = new Date(Number(match?.[1]))
  if (!match?.[2] || Number.isNaN(at.getTime())) throw new Refusal(400, 'This is not a valid cursor')
  return { at, id: match[2] }
}

/** Rows were asked for one more than a page holds: the one too many says that there is a next page. */
export function pageOf<Row>(rows: Row[], limit: number, positionOf: (row: Row) => Cursor) {
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  return { items, next: rows.length > limit && last ? encodeCursor(positionOf(last)) : undefined }
}

/** A word inside a LIKE pattern: `%` and `_` mean themselves. */
export const containing = (word: string) => `%${word.toLowerCase().replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
