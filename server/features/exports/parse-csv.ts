/** Reads RFC 4180, as a spreadsheet would. */
export function parseCsv(text: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\r?\n|$)/g)) {
    row.push(quoted?.replaceAll('""', '"') ?? plain ?? '')
    if (end === ',') continue
    rows.push(row)
    row = []
  }
  return rows.filter((cells) => cells.length > 1)
}
