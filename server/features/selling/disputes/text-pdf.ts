/** A4, in points (1/72 inch). */
const page = { width: 595, height: 842, margin: 56 }
const fontSize = 9
const lineHeight = 12
/** A character of Courier is 0.6 times the font size wide. */
const charactersPerLine = Math.floor((page.width - 2 * page.margin) / (0.6 * fontSize))
const linesPerPage = Math.floor((page.height - 2 * page.margin) / lineHeight)

/** Codes of the punctuation that Windows-1252 has and Latin-1 lacks. */
const winAnsi: Record<string, number> = {
  '€': 128,
  '…': 133,
  '‘': 145,
  '’': 146,
  '“': 147,
  '”': 148,
  '–': 150,
  '—': 151,
}

/** The standard fonts of PDF are in Windows-1252. Other characters become question marks. */
function encodeLine(line: string): string {
  return Array.from(line, (character) => {
    const code = winAnsi[character] ?? character.codePointAt(0)
    if (code === undefined || code < 32 || code > 255) return '?'
    // In a PDF string, these characters are written as a backslash and three octal digits.
    const needsEscape = code > 126 || '()\\'.includes(character)
    return needsEscape ? `\\${code.toString(8).padStart(3, '0')}` : character
  }).join('')
}

function wrapLine(line: string): string[] {
  const lines: string[] = []
  let remaining = line
  while (remaining.length > charactersPerLine) {
    const space = remaining.lastIndexOf(' ', charactersPerLine)
    const end = space > 0 ? space : charactersPerLine
    lines.push(remaining.slice(0, end))
    remaining = remaining.slice(end).trimStart()
  }
  return [...lines, remaining]
}

/** Text block in PDF's operators: `Tf` sets the font, `TL` the line height, `Td` the position; `Tj T*` writes a line. */
function drawLines(lines: string[]): string {
  const operators = lines.map((line) => `(${encodeLine(line)}) Tj T*`).join('\n')
  return `BT /R ${fontSize} Tf ${lineHeight} TL ${page.margin} ${page.height - page.margin} Td\n${operators}\nET`
}

export function pdfOf(text: string): Buffer {
  const lines = text.split('\n').flatMap(wrapLine)
  const pages = Array.from({ length: Math.ceil(lines.length / linesPerPage) }, (_, index) =>
    lines.slice(index * linesPerPage, (index + 1) * linesPerPage),
  )
  // Objects are numbered from 1: catalog, list of pages, font, then two for each page.
  const pageObjectNumber = (index: number) => 4 + 2 * index
  const kids = pages.map((_, index) => `${pageObjectNumber(index)} 0 R`).join(' ')
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R /Lang (en) >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>',
    ...pages.flatMap((pageLines, index) => {
      const drawing = drawLines(pageLines)
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${page.width} ${page.height}] /Contents ${pageObjectNumber(index) + 1} 0 R /Resources << /Font << /R 3 0 R >> >> >>`,
        `<< /Length ${drawing.length} >>\nstream\n${drawing}\nendstream`,
      ]
    }),
  ]
  return assembleFile(objects)
}

/** PDF requires a table of the objects' byte offsets at the end. */
function assembleFile(objects: string[]): Buffer {
  let body = '%PDF-1.4\n'
  const offsets: number[] = []
  for (const object of objects) {
    offsets.push(body.length)
    body += `${offsets.length} 0 obj\n${object}\nendobj\n`
  }
  const size = objects.length + 1
  const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${entries}`
  const trailer = `trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${body.length}\n%%EOF\n`
  return Buffer.from(body + table + trailer, 'latin1')
}
