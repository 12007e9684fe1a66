type CsvRow = { line: number; cells: string[] }

/**
 * The rows of a CSV file that aren't empty, each with the number of the line it starts on. Separated by commas, semicolons
 * or tabs, whichever its first line has most of: German and Swiss spreadsheets write semicolons. A quote that is never
 * closed has swallowed everything after it.
 */
export function parseCsv(text: string): { rows: CsvRow[]; unclosedIn?: number } {
  const content = text.replace(/^\uFEFF/, '')
  const separator = separatorOf(content)
  const rows: CsvRow[] = []
  let [line, start, cell, isQuoted, quotedIn] = [1, 1, '', false, 1]
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
      quotedIn = line
    } else if (character === separator) endCell()
    else if (character === '\n') endRow()
    else if (character !== '\r') cell += character
  }
  endRow()
  return isQuoted ? { rows, unclosedIn: quotedIn } : { rows }
}

function separatorOf(content: string) {
  const first = content.split('\n', 1)[0] ?? ''
  const count = (separator: string) => first.split(separator).length
  return [',', ';', '\t'].toSorted((a, b) => count(b) - count(a))[0]
}
