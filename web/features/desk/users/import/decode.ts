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
