import { type Bill, type Described, describe } from './invoice.ts'

const width = 595
const height = 842
const margin = 56

/** Text in Windows-1252, as the standard fonts require; what they cannot show becomes a question mark. */
function encode(text: string): string {
  const windows: Record<string, number> = {
    '–': 0x96,
    '—': 0x97,
    '€': 0x80,
    '’': 0x92,
    '“': 0x93,
    '”': 0x94,
    '•': 0x95,
    '…': 0x85,
  }
  let encoded = ''
  for (const character of text) {
    const code = windows[character] ?? character.codePointAt(0) ?? 0
    if (code > 0xff || code < 0x20) encoded += '?'
    else if (code > 0x7e || '()\\'.includes(character)) encoded += `\\${code.toString(8).padStart(3, '0')}`
    else encoded += character
  }
  return encoded
}

/** Helvetica's widths for the characters in amounts, in thousandths; other letters count as average. */
const widthOf = (text: string, size: number) => {
  let units = 0
  for (const character of text) units += '.,: '.includes(character) ? 278 : character === '-' ? 333 : 556
  return (units * size) / 1000
}

const cut = (text: string, longest: number) =>
  text.length > longest ? `${text.slice(0, longest - 1)}…` : text

function draw(said: Described): string {
  const commands: string[] = []
  let y = height - margin

  const write = (text: string, x: number, size: number, { bold = false, grey = 0 } = {}) =>
    commands.push(
      `BT ${grey} g /${bold ? 'B' : 'R'} ${size} Tf ${x.toFixed(1)} ${y.toFixed(1)} Td (${encode(text)}) Tj ET`,
    )
  const writeRight = (text: string, size: number, options = {}) =>
    write(text, width - margin - widthOf(text, size), size, options)
  const rule = (grey = 0.8) =>
    commands.push(`${grey} G 0.7 w ${margin} ${y.toFixed(1)} m ${width - margin} ${y.toFixed(1)} l S`)

  write(cut(said.from, 60), margin, 10, { grey: 0.4 })
  y -= 30
  write(said.title, margin, 24, { bold: true })
  writeRight(said.status, 14, { bold: true })
  y -= 34
  for (const [name, value] of said.facts) {
    write(name, margin, 10, { grey: 0.4 })
    write(cut(value, 70), margin + 130, 10)
    y -= 16
  }
  y -= 18
  write('Description', margin, 9, { grey: 0.4 })
  writeRight('Amount', 9, { grey: 0.4 })
  y -= 8
  rule(0.4)
  y -= 18
  for (const line of said.lines.slice(0, 12)) {
    write(cut(line.text, 75), margin, 10.5)
    writeRight(line.amount, 10.5)
    y -= 14
    write(line.period, margin, 9, { grey: 0.4 })
    y -= 12
    rule()
    y -= 18
  }
  for (const [name, value] of said.totals) {
    const bold = name === 'Amount due' || name === 'Amount paid'
    write(name, width / 2, 10.5, { bold })
    writeRight(value, 10.5, { bold })
    y -= 18
  }
  y = margin + 14 * said.footer.length
  for (const line of said.footer) {
    write(cut(line, 100), margin, 8.5, { grey: 0.4 })
    y -= 14
  }
  y = margin
  write(said.note, margin, 8.5, { grey: 0.4 })
  return commands.join('\n')
}

const font = (name: string) =>
  `<< /Type /Font /Subtype /Type1 /BaseFont /${name} /Encoding /WinAnsiEncoding >>`

/** A one-page PDF, written by hand: catalog, page, drawing, two fonts, description, and where each begins. */
export const invoicePdf = (bill: Bill): Buffer => documentPdf(describe(bill))

export function documentPdf(said: Described): Buffer {
  const drawing = draw(said)
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R /Lang (en) /ViewerPreferences << /DisplayDocTitle true >> >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${width} ${height}] /Contents 4 0 R /Resources << /Font << /R 5 0 R /B 6 0 R >> >> >>`,
    `<< /Length ${drawing.length} >>\nstream\n${drawing}\nendstream`,
    font('Helvetica'),
    font('Helvetica-Bold'),
    `<< /Title (${encode(`${said.title} ${said.number}`)}) /Author (${encode(said.from)}) >>`,
  ]
  let file = '%PDF-1.4\n'
  const offsets = objects.map((object, index) => {
    const offset = file.length
    file += `${index + 1} 0 obj\n${object}\nendobj\n`
    return offset
  })
  const start = file.length
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n`
  file += offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  file += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R /Info 7 0 R >>\nstartxref\n${start}\n%%EOF\n`
  return Buffer.from(file, 'latin1')
}
