type Cell = string | number

/** An apostrophe keeps a spreadsheet from running a text as a formula. */
function encodeCell(cell: Cell): string {
  const text = String(cell)
  const isFormula = /^[=+@\-\s]/.test(text) && Number.isNaN(Number(text))
  const harmless = isFormula ? `'${text}` : text
  return /[",;\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

/** Excel recognizes UTF-8 by the byte order mark at the start. */
export const csvOf = (rows: Cell[][]) => `\uFEFF${rows.map((row) => `${row.map(encodeCell).join(',')}\n`).join('')}`
