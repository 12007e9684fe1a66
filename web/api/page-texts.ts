import { useMemo } from 'react'
import { brand } from '#contract/brand.ts'
import { type ContentPage, parseContent, plainText } from '#contract/markdown.ts'
import type { ListedProduct } from '#contract/selling/product.ts'
import { useSettings } from './settings.tsx'

export const fillPlaceholders = (source: string, [first]: [ListedProduct, ...ListedProduct[]]) =>
  source
    .replaceAll('{product}', first.name)
    .replaceAll('{list}', first.list ?? 'list of symbols')
    .replaceAll('{shop}', brand.name)

export function useContent(source: string): ContentPage {
  const { products } = useSettings()
  return useMemo(() => parseContent(fillPlaceholders(source, products)), [source, products])
}

/** "Eyebrow: Title"; the eyebrow may be missing. */
export function splitHeading(heading: string) {
  const [, eyebrow, title] = /^(.+?): (.+)$/.exec(heading) ?? []
  return eyebrow && title ? { eyebrow, title } : { eyebrow: '', title: heading }
}

export function sectionAt({ sections }: ContentPage, index: number) {
  const { title = '', blocks = [], parts = [] } = sections[index] ?? {}
  return {
    ...splitHeading(title),
    lead: plainText(blocks),
    items: parts.map((part) => ({ title: part.title, text: plainText(part.blocks) })),
  }
}
