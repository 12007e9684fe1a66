import type { PrintedDocument } from './invoice.ts'

/** PDF's standard fonts contain only Latin-1; other characters become question marks. */
const encode = (text: string) =>
  text
    .replaceAll(/[^\x20-\xff]/g, '?')
    .replaceAll(/[()\\\x7f-\xff]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`)

function drawText({ from, title, rows, footer }: PrintedDocument): string {
  const lines = [[from], [title], ...rows, ...footer.map((line) => [line])]
  return lines
    .flatMap(([left = '', right = ''], index) =>
      [`56 ${780 - index * 17} Td (${encode(left)})`, `330 ${780 - index * 17} Td (${encode(right)})`].map(
        (placed) => `BT /R 10 Tf ${placed} Tj ET`,
      ),
    )
    .join('\n')
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
