import { CsvError, parse } from 'csv-parse/browser/esm/sync'

type CsvRow = { line: number; cells: string[] }

/** Returns the rows that aren’t empty, each with the number of its first line, or the line of an unclosed quotation mark. */
export function parseCsv(text: string): { rows: CsvRow[] } | { unclosedIn: number } {
  const rows: CsvRow[] = []
  let linesRead = 0
  try {
    parse(text, {
      bom: true,
      delimiter: separatorOf(text),
      on_record(cells: string[], { lines }) {
        // `lines` is the record's last line; line breaks inside its cells lead back to the first.
        const lineBreaksInCells = cells.join('').split('\n').length - 1
        rows.push({ line: lines - lineBreaksInCells, cells: cells.map((cell) => cell.trim()) })
        linesRead = lines
      },
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      skip_records_with_empty_values: true,
      trim: true,
    })
    return { rows }
  } catch (error) {
    if (error instanceof CsvError && error.code === 'CSV_QUOTE_NOT_CLOSED') return { unclosedIn: linesRead + 1 }
    throw error
  }
}

/** German and Swiss spreadsheets separate by semicolons, others by commas or tabs. */
function separatorOf(content: string) {
  const firstLine = content.split('\n', 1)[0] ?? ''
  const count = (separator: string) => firstLine.split(separator).length
  return [',', ';', '\t'].toSorted((a, b) => count(b) - count(a))[0] ?? ','
}
