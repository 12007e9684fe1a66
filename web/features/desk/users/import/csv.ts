type CsvRow = { line: number; cells: string[] }

/** The rows that aren’t empty, each with its line. German and Swiss spreadsheets separate by semicolons, others by commas or tabs. */
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

type Decoded = { text: string; note: string | undefined } | { fault: string }

const howToSave = 'In your spreadsheet, choose “Save as” or “Download”, then “CSV” (UTF-8).'
/** The text of a file, however the spreadsheet wrote it: Excel still saves CSV in the encoding of an older Windows. */
export function decode(bytes: Uint8Array): Decoded {
  const text = readAs('utf-8', bytes)
  const note = text === undefined ? 'Read as Windows-1252: please check names with accents.' : undefined
  const read = text ?? readAs('windows-1252', bytes) ?? ''
  // Control characters, except those between cells and lines: a workbook and UTF-16 are full of them.
  if (/[^\P{Cc}\t\n\r]/u.test(read)) return { fault: `We can’t read this file as text. ${howToSave}` }
  return { text: read, note }
}

function readAs(encoding: string, bytes: Uint8Array) {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}
