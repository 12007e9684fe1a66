import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inflateSync } from 'node:zlib'
import { initWasm, Resvg } from '@resvg/resvg-wasm'
import { brand } from '#contract/brand.ts'
import { brandShades } from '#contract/brand-colors.ts'
import { escapeHtml } from '#server/security/escape-html.ts'

type Mark = (tile: string, ink: string, corner?: number) => string
export type Preview = { file: string; title: string }

const colors = { ground: '#0b1716', ink: '#eef4f2', muted: '#a4b2b1', line: '#22302f' }

export async function drawImages(folder: string, { mark, previews }: { mark: Mark; previews: Preview[] }) {
  await initWasm(await readFile(new URL(import.meta.resolve('@resvg/resvg-wasm/index_bg.wasm'))))
  const readFont = async (address: string) => decodeWoff(await readFile(new URL(address)))
  const fonts = [
    await readFont(import.meta.resolve('@fontsource/host-grotesk/files/host-grotesk-latin-400-normal.woff')),
    await readFont(import.meta.resolve('@fontsource/host-grotesk/files/host-grotesk-latin-600-normal.woff')),
  ]
  const font = { fontBuffers: fonts, defaultFontFamily: 'Host Grotesk' }
  const draw = (svg: string, width: number) =>
    new Resvg(svg, { font, fitTo: { mode: 'width', value: width } }).render().asPng()
  const widthOf = (text: string, attributes: string) => {
    const svg = `<svg xmlns="http://www.w3.org/2000/svg"><text ${attributes}>${escapeHtml(text)}</text></svg>`
    return new Resvg(svg, { font }).getBBox()?.width ?? 0
  }

  await mkdir(join(folder, 'og'), { recursive: true })
  for (const { file, title } of previews)
    await writeFile(join(folder, 'og', file), draw(previewSvg(title, mark, widthOf), 1200))
  // Apple rounds the corners itself and shows black behind transparent ones.
  await writeFile(join(folder, 'apple-touch-icon.png'), draw(mark(brandShades.light, '#ffffff', 0), 180))
  for (const size of [192, 512])
    await writeFile(join(folder, `icon-${size}.png`), draw(mark(brandShades.light, '#ffffff'), size))
}

function previewSvg(title: string, mark: Mark, widthOf: (text: string, attributes: string) => number) {
  const name = 'font-family="Host Grotesk SemiBold" font-size="30" font-weight="600"'
  const heading = 'font-family="Host Grotesk SemiBold" font-size="84" font-weight="600" letter-spacing="-2.9"'
  const small = 'font-family="Host Grotesk" font-size="28"'
  const wrap = (text: string, attributes: string, maxWidth: number) => {
    const lines: string[] = []
    for (const word of text.split(' ')) {
      const longer = [lines.at(-1), word].filter(Boolean).join(' ')
      if (lines.length > 0 && widthOf(longer, attributes) <= maxWidth) lines[lines.length - 1] = longer
      else lines.push(word)
    }
    return lines
  }
  const text = (words: string, x: number, y: number, fill: string, attributes: string) =>
    `<text x="${x}" y="${y}" fill="${fill}" ${attributes}>${escapeHtml(words)}</text>`
  const titleLines = wrap(title, heading, 1056).slice(0, 2)
  const taglineLines = wrap(brand.tagline, small, 440)
  // The title grows downward from its first line, the tagline upward from its last.
  const titleTop = 244
  const taglineTop = 558 - (taglineLines.length - 1) * 40
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1200 630">
<defs><linearGradient id="fade"><stop offset="0.45" stop-color="#fff" stop-opacity="0"/><stop offset="0.75" stop-color="#fff"/></linearGradient><mask id="right"><rect width="1200" height="630" fill="url(#fade)"/></mask></defs>
<rect width="1200" height="630" fill="${colors.ground}"/>
<g mask="url(#right)" fill="none">
${[330, 410, 490, 570].map((y) => `<path d="M480 ${y}H1200" stroke="${colors.line}" stroke-width="2" stroke-dasharray="4 9"/>`).join('')}
<path d="M480 570H1200V630H480z" fill="${brandShades.dark}" fill-opacity="0.12"/>
<path d="M480 452c60-50 96-92 146-70s60 92 108 82 58-78 102-64 52 110 80 166 44 56 68 20 44-150 80-176 76-22 140-70" stroke="${brandShades.dark}" stroke-width="6" stroke-linecap="round"/>
<circle cx="948" cy="604" r="22" fill="${brandShades.dark}" fill-opacity="0.25"/><circle cx="948" cy="604" r="10" fill="${brandShades.dark}"/>
</g>
<svg x="72" y="64" width="52" height="52" viewBox="0 0 32 32">${mark(brandShades.dark, brandShades.onDark)}</svg>
${text(brand.name, 140, 100, colors.ink, name)}
${titleLines.map((line, index) => text(line, 72, titleTop + index * 86, colors.ink, heading)).join('')}
${taglineLines.map((line, index) => text(line, 72, taglineTop + index * 40, colors.muted, small)).join('')}
</svg>`
}

/** Extracts the OpenType font of a WOFF file: https://www.w3.org/TR/WOFF/ */
function decodeWoff(woff: Buffer): Uint8Array {
  const count = woff.readUInt16BE(12)
  const header = Buffer.alloc(12 + count * 16)
  woff.copy(header, 0, 4, 8)
  header.writeUInt16BE(count, 4)
  const chunks: Buffer[] = [header]
  let end = header.length
  for (let index = 0; index < count; index += 1) {
    const woffEntry = 44 + index * 20
    const offset = woff.readUInt32BE(woffEntry + 4)
    const compressedSize = woff.readUInt32BE(woffEntry + 8)
    const size = woff.readUInt32BE(woffEntry + 12)
    const stored = woff.subarray(offset, offset + compressedSize)
    // Tables begin at a multiple of four bytes.
    const table = Buffer.alloc(Math.ceil(size / 4) * 4)
    const content = compressedSize < size ? inflateSync(stored) : stored
    content.copy(table)
    const openTypeEntry = 12 + index * 16
    woff.copy(header, openTypeEntry, woffEntry, woffEntry + 4)
    header.writeUInt32BE(woff.readUInt32BE(woffEntry + 16), openTypeEntry + 4)
    header.writeUInt32BE(end, openTypeEntry + 8)
    header.writeUInt32BE(size, openTypeEntry + 12)
    chunks.push(table)
    end += table.length
  }
  return Buffer.concat(chunks)
}
