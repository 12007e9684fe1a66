type Decoded = { text: string; note: string | undefined } | { fault: string }

const howToSave = 'In your spreadsheet, choose “Save as” or “Download”, then “CSV” (UTF-8).'
/** Decodes UTF-8, or Windows-1252, in which Excel still saves CSV. */
export function decode(bytes: Uint8Array): Decoded {
  const text = decodeAs('utf-8', bytes)
  const note = text === undefined ? 'Read as Windows-1252: please check names with accents.' : undefined
  const decoded = text ?? decodeAs('windows-1252', bytes) ?? ''
  // Workbooks and UTF-16 contain control characters other than tabs and line breaks.
  if (/[^\P{Cc}\t\n\r]/u.test(decoded)) return { fault: `We can’t read this file as text. ${howToSave}` }
  return { text: decoded, note }
}

function decodeAs(encoding: string, bytes: Uint8Array) {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}
