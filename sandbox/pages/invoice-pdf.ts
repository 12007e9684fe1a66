import type { Described } from './invoice.ts'

/** What Windows-1252, which the standard fonts require, has in other places than Unicode. */
const windows = new Map(Array.from('‘’“”•–—', (character, index) => [character, 0x91 + index] as const))
windows.set('€', 0x80).set('…', 0x85)

/** What the fonts cannot show becomes a question mark. */
function encode(text: string): string {
  let encoded = ''
  for (const character of text) {
    const code = windows.get(character) ?? character.codePointAt(0) ?? 0
    if (code > 0xff || code < 0x20) encoded += '?'
    else if (code > 0x7e || '()\\'.includes(character)) encoded += `\\${code.toString(8).padStart(3, '0')}`
    else encoded += character
  }
  return encoded
}

function draw(said: Described): string {
  const commands: string[] = []
  let y = 780
  /** One line, whose second part begins to the right. */
  const write = ([left = '', right = '']: string[], size = 10, name = 'R') => {
    y -= size * 1.7
    for (const [x, text] of [
      [56, left.slice(0, 100)],
      [330, right.slice(0, 50)],
    ])
      if (text)
        commands.push(`BT /${name} ${size} Tf ${x} ${y.toFixed(1)} Td (${encode(String(text))}) Tj ET`)
  }
  write([said.from])
  write([said.title, said.status], 20, 'B')
  for (const fact of said.facts) write(fact)
  for (const line of said.lines.slice(0, 12)) {
    write([line.text, line.amount], 11)
    write([line.period], 9)
  }
  for (const total of said.totals) write(total, 11, 'B')
  for (const line of [...said.footer, said.note]) write([line], 8)
  return commands.join('\n')
}

const font = (name: string) =>
  `<< /Type /Font /Subtype /Type1 /BaseFont /${name} /Encoding /WinAnsiEncoding >>`

/** A one-page PDF, written by hand: catalog, page, drawing, two fonts, description, and where each begins. */
export function documentPdf(said: Described): Buffer {
  const drawing = draw(said)
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R /Lang (en) /ViewerPreferences << /DisplayDocTitle true >> >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /R 5 0 R /B 6 0 R >> >> >>`,
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
