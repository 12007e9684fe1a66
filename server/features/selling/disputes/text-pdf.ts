const page = { width: 595, height: 842, margin: 56 }
const [fontSize, lineHeight] = [9, 12]
/** A character of Courier is 0.6 of its size wide. */
const charactersPerLine = Math.floor((page.width - 2 * page.margin) / (0.6 * fontSize))
const linesPerPage = Math.floor((page.height - 2 * page.margin) / lineHeight)

/** Punctuation that Windows-1252 has and Latin-1 lacks. */
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

/** Standard fonts know Windows-1252; anything else becomes a question mark. */
function encode(line: string): string {
  return Array.from(line, (character) => {
    const code = winAnsi[character] ?? character.codePointAt(0) ?? 63
    if (code > 255 || code < 32) return '?'
    return code > 126 || '()\\'.includes(character) ? `\\${code.toString(8).padStart(3, '0')}` : character
  }).join('')
}

function wrap(line: string): string[] {
  const lines: string[] = []
  let rest = line
  while (rest.length > charactersPerLine) {
    const space = rest.lastIndexOf(' ', charactersPerLine)
    const end = space > 0 ? space : charactersPerLine
    lines.push(rest.slice(0, end))
    rest = rest.slice(end).trimStart()
  }
  return [...lines, rest]
}

function drawingOf(lines: string[]): string {
  const operators = lines.map((line) => `(${encode(line)}) Tj T*`).join('\n')
  return `BT /R ${fontSize} Tf ${lineHeight} TL ${page.margin} ${page.height - page.margin} Td\n${operators}\nET`
}

/** Plain text as a PDF (1.4) of as many pages as it takes. */
export function pdfOf(text: string): Buffer {
  const lines = text.split('\n').flatMap(wrap)
  const pages = Array.from({ length: Math.ceil(lines.length / linesPerPage) }, (_, number) =>
    lines.slice(number * linesPerPage, (number + 1) * linesPerPage),
  )
  const kids = pages.map((_, number) => `${4 + 2 * number} 0 R`).join(' ')
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R /Lang (en) >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>',
    ...pages.flatMap((own, number) => {
      const drawing = drawingOf(own)
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${page.width} ${page.height}] /Contents ${5 + 2 * number} 0 R /Resources << /Font << /R 3 0 R >> >> >>`,
        `<< /Length ${drawing.length} >>\nstream\n${drawing}\nendstream`,
      ]
    }),
  ]
  return assemble(objects)
}

/** Numbers the objects, and ends with a table of where each begins. */
function assemble(objects: string[]): Buffer {
  const parts = ['%PDF-1.4\n']
  const offsets: number[] = []
  for (const object of objects) {
    offsets.push(parts.join('').length)
    parts.push(`${offsets.length} 0 obj\n${object}\nendobj\n`)
  }
  const size = objects.length + 1
  const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`)
  const table = [`xref\n0 ${size}\n0000000000 65535 f \n`, ...entries, `trailer\n<< /Size ${size} /Root 1 0 R >>\n`]
  return Buffer.from([...parts, ...table, `startxref\n${parts.join('').length}\n%%EOF\n`].join(''), 'latin1')
}
