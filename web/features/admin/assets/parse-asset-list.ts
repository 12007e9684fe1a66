import * as z from 'zod/mini'
import { newAsset } from '#contract/access/assets.ts'

const titleRow = /^"?(ticker|symbol|asset)s?"?([,;\s]|$)/i

/** Ticker, separator, note. A single letter after the ticker is its class of shares, as in BRK B. */
const linePattern = /^("[^"]*"|[^,;\s]+(?: [A-Za-z](?=[,;\t]|$))?)[,;\s]*(.*)$/

export function parseAssetList(pasted: string): { assets: z.infer<typeof newAsset>[]; faults: string[] } {
  const lines = pasted
    .split(/\r?\n/)
    .map((text, index) => ({ text: text.trim(), number: index + 1 }))
    .filter(({ text }) => text !== '')
  if (titleRow.test(lines[0]?.text ?? '')) lines.shift()
  const parsed = lines.map(({ text, number }) => {
    const [, firstCell = '', secondCell = ''] = linePattern.exec(text) ?? []
    const ticker = unquoted(firstCell)
    const note = unquoted(secondCell)
    return { number, ...z.safeParse(newAsset, note ? { ticker, note } : { ticker }) }
  })
  return {
    assets: parsed.flatMap(({ data }) => data ?? []),
    faults: parsed.flatMap(({ number, error }) => (error ? [`Line ${number}: ${error.issues[0]?.message}`] : [])),
  }
}

const unquoted = (cell: string) => /^"(.*)"$/.exec(cell)?.[1]?.replaceAll('""', '"') ?? cell
