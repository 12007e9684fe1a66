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

type Decoded = { text: string; note?: string } | { fault: string }

const howToSave = 'In your spreadsheet, choose “Save as” or “Download”, then “CSV” (UTF-8).'
/** A zipped workbook (xlsx, ods), and Excel's older one. */
const workbooks = [
  [0x50, 0x4b, 0x03, 0x04],
  [0xd0, 0xcf, 0x11, 0xe0],
]

/** The text of a file, however the spreadsheet wrote it: Excel still saves CSV in the encoding of an older Windows. */
export function decode(bytes: Uint8Array): Decoded {
  const beginsWith = (start: number[]) => start.every((byte, at) => bytes[at] === byte)
  if (workbooks.some(beginsWith)) return { fault: `This is a workbook, not a CSV file. ${howToSave}` }
  const text = readAs(utf16Of(bytes, beginsWith) ?? 'utf-8', bytes)
  if (text !== undefined) return hasControls(text) ? unreadable : { text }
  const older = readAs('windows-1252', bytes) ?? ''
  return hasControls(older)
    ? unreadable
    : { text: older, note: 'Read as Windows-1252: please check names with accents.' }
}

const unreadable = { fault: `We can’t read this file as text. ${howToSave}` }

function readAs(encoding: string, bytes: Uint8Array) {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** By its mark; without one, by the zeros beside every ordinary letter. */
function utf16Of(bytes: Uint8Array, beginsWith: (start: number[]) => boolean) {
  if (beginsWith([0xff, 0xfe])) return 'utf-16le'
  if (beginsWith([0xfe, 0xff])) return 'utf-16be'
  const zeros = (from: number) => bytes.subarray(0, 200).filter((byte, at) => at % 2 === from && byte === 0)
  if (bytes.length < 2 || bytes.length % 2 !== 0) return undefined
  const most = Math.min(bytes.length, 200) / 4
  if (zeros(1).length > most) return 'utf-16le'
  return zeros(0).length > most ? 'utf-16be' : undefined
}

/** Control characters, except those between cells and lines: bytes of another kind, read as letters, are full of them. */
const hasControls = (text: string) => /[^\P{Cc}\t\n\r]/u.test(text)
