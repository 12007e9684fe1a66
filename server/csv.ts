type Cell = string | number

const formulaSigns = '=+@＝＋－＠-'
const cellSeparators = String.raw`;\t\r\n`
const invisibleCharacters = '\u00A0\u00AD\u034F\u115F\u180E\u200B\u2060\u2800\u3164\uFEFF'
/**
 * Start of a cell that a spreadsheet may run as a formula, for JavaScript and PostgreSQL. German and Swiss spreadsheets
 * split cells at semicolons, quoted or not, and others at tabs and line breaks. Spreadsheets ignore spaces, quotes and
 * invisible letters before the sign, and some accept full-width signs.
 */
export const formulaStart = `(^|[${cellSeparators}])(?=[\\s${invisibleCharacters}"']*[${cellSeparators}${formulaSigns}])`

function encodeCell(cell: Cell): string {
  const text = String(cell)
  const isNumber = !Number.isNaN(Number(text))
  // An apostrophe keeps a spreadsheet from running a text as a formula.
  const harmless = isNumber ? text : text.replaceAll(new RegExp(formulaStart, 'g'), "$1'")
  return /[",;\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

/** Excel recognizes UTF-8 by the byte order mark at the start. */
export const csvOf = (rows: Cell[][]) => `\uFEFF${rows.map((row) => `${row.map(encodeCell).join(',')}\n`).join('')}`
