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
