import * as z from 'zod/mini'
import { newAsset } from '#contract/access/assets-admin.ts'

const titleRow = /^"?(ticker|symbol|asset)s?"?([,;\s]|$)/i

/** Ticker, separator, note. A single letter after the ticker is its class of shares, as in BRK B. */
const linePattern = /^("[^"]*"|[^,;\s]+(?: [A-Za-z](?=[,;\t]|$))?)[,;\s]*(.*)$/

export function parseAssetList(pasted: string): { assets: z.infer<typeof newAsset>[]; faults: string[] } {
  const lines = pasted
    .split(/\r?\n/)
    .map((text, index) => ({ text: text.trim(), number: index + 1 }))
    .filter(({ text }) => text !== '')
  if (titleRow.test(lines[0]?.text ?? '')) lines.shift()
  const assets: z.infer<typeof newAsset>[] = []
  const faults: string[] = []
  for (const { text, number } of lines) {
    const [, firstCell = '', secondCell = ''] = linePattern.exec(text) ?? []
    const ticker = unquote(firstCell)
    const note = unquote(secondCell)
    const parsed = z.safeParse(newAsset, note ? { ticker, note } : { ticker })
    if (parsed.success) assets.push(parsed.data)
    else faults.push(`Line ${number}: ${parsed.error.issues[0]?.message}`)
  }
  return { assets, faults }
}

function unquote(cell: string) {
  const [, content] = /^"(.*)"$/.exec(cell) ?? []
  return content?.replaceAll('""', '"') ?? cell
}
