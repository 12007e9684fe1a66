import type { PrintedDocument } from './invoice.ts'

/** PDF's standard fonts contain only Latin-1; other characters become question marks. */
const encode = (text: string) =>
  text
    .replaceAll(/[^\x20-\xff]/g, '?')
    .replaceAll(/[()\\\x7f-\xff]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`)

function drawText({ from, title, rows, footer }: PrintedDocument): string {
  const lines = [[from], [title], ...rows, ...footer.map((line) => [line])]
  // In points, from the lower left corner of the page.
  const drawAt = (x: number, y: number, text: string) => `BT /R 10 Tf ${x} ${y} Td (${encode(text)}) Tj ET`
  const drawings = lines.map(([left = '', right = ''], index) => {
    const y = 780 - index * 17
    return `${drawAt(56, y, left)}\n${drawAt(330, y, right)}`
  })
  return drawings.join('\n')
}

export function documentPdf(printed: PrintedDocument): Buffer {
  const drawing = drawText(printed)
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R /Lang (en) >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /R 5 0 R >> >> >>',
    `<< /Length ${drawing.length} >>\nstream\n${drawing}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
  ]
  let file = '%PDF-1.4\n'
  const offsets = objects.map((object, index) => {
    const offset = file.length
    file += `${index + 1} 0 obj\n${object}\nendobj\n`
    return offset
  })
  const xrefOffset = file.length
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n`
  file += offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  file += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${xrefOffset}\n%%EOF\n`
  return Buffer.from(file, 'latin1')
}
