import { newAsset } from '#contract/assets.ts'
import type { InferOutput } from '#contract/schema.ts'
import * as z from '#contract/zod.ts'

/** One asset per line: the ticker, then a comma, semicolon, tab, or space and an optional note. */
export function parseAssetList(pasted: string): { assets: InferOutput<typeof newAsset>[]; faults: string[] } {
  const lines = pasted
    .split(/\r?\n/)
    .map((text, index) => ({ text: text.trim(), number: index + 1 }))
    .filter(({ text }) => text !== '')
  const parsed = lines.map(({ text, number }) => {
    const [, symbol = '', note = ''] = /^([^,;\s]+)[,;\s]*(.*)$/.exec(text) ?? []
    return { number, ...z.safeParse(newAsset(z), note ? { ticker: symbol, note } : { ticker: symbol }) }
  })
  return {
    assets: parsed.flatMap(({ data }) => data ?? []),
    faults: parsed.flatMap(({ number, error }) =>
      error ? [`Line ${number}: ${error.issues[0]?.message}`] : [],
    ),
  }
}
